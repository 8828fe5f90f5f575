/// What came of taking records back from a store's quarantine.
public struct RestoreReport: Sendable, Equatable {
  /// One file of the quarantine.
  public struct File: Sendable, Equatable {
    /// Its name there.
    public let name: String
    /// What was done about it.
    public let outcome: Outcome
  }

  /// What was done about a file.
  public enum Outcome: Sendable, Equatable {
    /// So many records of it are in the store again.
    case restored(recordCount: Int)
    /// Nothing; the reason is a sentence without a full stop.
    case left(reason: String)
  }

  /// Every file of the quarantine, in the order of their names.
  public internal(set) var files: [File] = []

  /// The report on a quarantine that has nothing in it.
  package init() {}

  /// How many records are in the store again.
  public var recordCount: Int {
    files.reduce(0) { sum, file in
      if case .restored(let count) = file.outcome { sum + count } else { sum }
    }
  }
}
