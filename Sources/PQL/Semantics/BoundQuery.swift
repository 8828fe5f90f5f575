package import SegmentIndex

/// A query whose names, types and times are settled: what the evaluators run.
///
/// Records pass the condition, then the record stages, newest first; then they leave the world of records
/// by `exit`, and rows of a table pass the table stages.
package struct BoundQuery: Sendable {
  package var condition: Condition
  package var recordStages: [RecordStage] = []
  package var exit: Exit = .records
  package var tableStages: [TableStage] = []

  /// Stages that take records and give records.
  package enum RecordStage: Sendable, Hashable {
    case filter(Condition)
    case sort([SortOrder])
    case limit(Int)
    /// The newest record of each key, newest first.
    case dedup([Operand])
    case trace(Trace)
    case context(Neighbours)
  }

  /// How records become rows.
  package enum Exit: Sendable {
    /// They stay records.
    case records
    case project([Column])
    case group(Grouping)
    case timeline(Timeline)
    case spans(Spans)
  }

  /// Stages that take rows and give rows.
  package enum TableStage: Sendable {
    case filter(Condition)
    case sort([SortOrder])
    case limit(Int)
    case project([Column])
    /// Adds columns after those that are there.
    case extend([Column])
    case group(Grouping)
  }

  /// A computed column.
  package struct Column: Sendable, Hashable {
    package let name: String
    package let operand: Operand
  }

  package struct SortOrder: Sendable, Hashable {
    package let operand: Operand
    package let isDescending: Bool
  }

  /// Groups of rows, one row for each: its keys, then its aggregates.
  package struct Grouping: Sendable {
    package var keys: [Column]
    package var aggregates: [Aggregate]
    /// The first key that is a bin of time, by which the groups are then sorted.
    package var timeKey: Int?
    /// For `top`: how many groups; their share of all rows is a further column.
    package var topCount: Int?

    package var columnNames: [String] {
      keys.map(\.name) + aggregates.map(\.name) + (topCount == nil ? [] : ["share"])
    }
  }

  /// A computed aggregate.
  package struct Aggregate: Sendable, Hashable {
    package let name: String
    package let function: AggregateFunction
    /// What is aggregated; for `count` the condition that is counted, or nothing.
    package let argument: Operand?

    /// An aggregate of this name.
    package init(name: String, function: AggregateFunction, argument: Operand?) {
      self.name = name
      self.function = function
      self.argument = argument
    }
  }

  /// Counts per bin of time, with a bin for every stretch in which nothing happened.
  package struct Timeline: Sendable {
    /// Nanoseconds; nil to choose one that gives about sixty bins.
    package let width: Int64?
    package let keys: [Column]
    package let zone: TimeZoneRules
  }
}

extension BoundQuery {
  /// A row for each span.
  package struct Spans: Sendable {
    /// The time up to which open spans have lasted.
    package let now: Int64
  }
}

/// What a store knows that a query can name. Few queries ask, so it is gathered only then.
package struct Catalog: Sendable {
  private var segments: [Segment] = []
  private var otherLevels = LogLevel.standard
  private var otherSessions: [SessionInfo] = []
  private var otherTagKeys: Set<String> = []

  package init() {}

  /// Adds what the segments hold. What cannot be read is left out; running will say so.
  package mutating func add(_ segments: [Segment]) {
    self.segments += segments
  }

  /// Every level that occurs, and the standard ones.
  package var levels: [LogLevel] {
    get {
      var levels = otherLevels
      for segment in segments {
        guard case .terms(let column)? = try? segment.column(.level),
          let terms = try? column.terms
        else { continue }
        for case .level(let level) in terms
        where !levels.contains(where: { $0.severity == level.severity && $0 == level }) {
          levels.append(level)
        }
      }
      return levels.sorted()
    }
    set { otherLevels = newValue }
  }

  /// The sessions, in any order. Every segment describes those of its records, so most are described several times.
  package var sessions: [SessionInfo] {
    get {
      SessionDescriptions(otherSessions + segments.flatMap(\.sessions)).all
    }
    set { otherSessions = newValue }
  }

  /// The keys of tags that occur, for suggestions.
  package var tagKeys: Set<String> {
    get { segments.reduce(into: otherTagKeys) { $0.formUnion($1.tagKeys) } }
    set { otherTagKeys = newValue }
  }
}
