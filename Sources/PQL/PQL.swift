/// What the language has, as tables for help and completion.
public enum PQL {
  /// A name that a query can use, with what help says about it.
  public struct Entry: Sendable, Hashable {
    /// The name.
    public let name: String
    /// How it is written: a field's type, a stage's or a function's form.
    public let usage: String
    /// What it is, in a few words.
    public let summary: String
  }

  /// The fields of records. Tags are `tag.NAME`, places in the payload `payload.PATH`.
  public static let fields: [Entry] = Field.allCases.map {
    Entry(
      name: $0.rawValue, usage: $0 == .payload ? "json" : $0.type.rawValue, summary: $0.summary)
  }

  /// The stages.
  public static let stages: [Entry] = StageName.allCases.map {
    Entry(name: $0.rawValue, usage: $0.usage, summary: $0.summary)
  }

  /// The functions; any percentile such as `p95` or `p99.9` is one too.
  public static let functions: [Entry] =
    Function.all.map { Entry(name: $0.name, usage: $0.usage, summary: $0.summary) }
    + [
      Entry(
        name: "p95", usage: "p95(x)", summary: "a percentile; any p0 to p100, with decimals")
    ]

  /// The words that mean something wherever a condition may stand; quote them to search for them.
  public static let reservedWords: [String] = ReservedWord.allCases.map(\.rawValue)
}
