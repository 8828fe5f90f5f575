import JournalKit

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the command line asks for.
struct Options {
  static let usage = "usage: append-benchmark DIR VARIANT THREADS COUNT [PACE | kill ROUNDS]"

  /// How the journal writes.
  enum Variant: String, CaseIterable {
    case written, mapped
    case writtenFull = "written-full"
    case full

    var sync: Sync { self == .full || self == .writtenFull ? .full : .processDeath }

    var backend: Journal.Configuration.Backend {
      switch self {
      case .written, .writtenFull: .written
      case .mapped: .mapped
      case .full: .automatic
      }
    }
  }

  enum Mode {
    /// Appends a second over all threads; 0 is as fast as they can.
    case measure(pace: Int)
    case kill(rounds: Int)
    /// A writer that dies after `delay` milliseconds, and until then counts in the file `counters`.
    case child(delay: Int, counters: String)
  }

  let directory: String
  let variant: Variant
  let threads: Int
  let count: Int
  let mode: Mode

  init?(_ arguments: [String]) {
    guard arguments.count >= 5, let variant = Variant(rawValue: arguments[2]),
      let threads = Int(arguments[3]), threads > 0, threads <= 64,
      let count = Int(arguments[4]), count >= threads
    else { return nil }
    switch arguments.count {
    case 5: mode = .measure(pace: 0)
    case 6:
      guard let pace = Int(arguments[5]), pace >= 0 else { return nil }
      mode = .measure(pace: pace)
    case 7 where arguments[5] == "kill":
      guard let rounds = Int(arguments[6]), rounds > 0 else { return nil }
      mode = .kill(rounds: rounds)
    case 8 where arguments[5] == "child":
      guard let delay = Int(arguments[6]) else { return nil }
      mode = .child(delay: delay, counters: arguments[7])
    default: return nil
    }
    directory = arguments[1]
    self.variant = variant
    self.threads = threads
    self.count = count
  }

  var appendsPerThread: Int { count / threads }
  private var journalDirectory: String { directory + "/periscope" }

  /// Opens the journal, with a budget that drops nothing.
  func openJournal() throws(JournalError) -> Journal {
    try Journal(
      directory: journalDirectory,
      configuration: Journal.Configuration(
        maximumByteCount: 1 << 40, segmentByteCount: 16 << 20, backend: variant.backend))
  }

  /// Everything that can be read of the journal.
  func recover() throws(JournalError) -> JournalRecovery {
    try JournalRecovery.recover(directory: journalDirectory)
  }

  /// Removes the journal, and makes sure that there is a directory for the next.
  func clearDirectory() throws(JournalError) {
    try JournalRecovery.remove(directory: journalDirectory)
    mkdir(directory, 0o700)
  }
}
