/// The stages by name, each with what help says about it. One table serves the parser, completion and
/// help.
public enum StageName: String, Sendable, CaseIterable {
  case `where`, select, extend, stats, count, top, sort, limit, dedup, timeline, spans, trace,
    context

  /// The stage's form, for help.
  public var usage: String {
    switch self {
    case .where: "where FILTER"
    case .select: "select a, x = EXPRESSION"
    case .extend: "extend x = EXPRESSION"
    case .stats: "stats AGGREGATE, .. by KEY, .."
    case .count: "count [by KEY, ..]"
    case .top: "top N KEY, .."
    case .sort: "sort -a, b"
    case .limit: "limit N"
    case .dedup: "dedup KEY, .."
    case .timeline: "timeline [every DURATION] [by KEY, ..]"
    case .spans: "spans"
    case .trace: "trace [back DURATION] [depth N]"
    case .context: "context N [M]"
    }
  }

  /// What the stage does, in a few words.
  public var summary: String {
    switch self {
    case .where: "keeps the rows that match"
    case .select: "keeps only these columns"
    case .extend: "adds columns"
    case .stats: "makes one row for each group"
    case .count: "counts the rows, or the rows of each group"
    case .top: "the N most frequent, with count and share"
    case .sort: "orders the rows; - is descending"
    case .limit: "keeps the first N rows"
    case .dedup: "keeps the newest record of each key"
    case .timeline: "counts records over time, empty bins included"
    case .spans: "makes one row for each span"
    case .trace: "walks back from each record to what led to it"
    case .context: "shows the neighbours of each record"
    }
  }
}

/// The words that mean something wherever a filter's condition may stand.
package enum ReservedWord: String, Sendable, CaseIterable {
  case and, or, not, `in`, has, under, last, since, until
}
