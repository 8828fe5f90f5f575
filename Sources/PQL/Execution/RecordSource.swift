internal import SegmentIndex

/// All records of a store, for stages that look beyond the rows they are given: `spans`, `trace` and
/// `context`.
protocol RecordSource {
  /// The first `limit` records that satisfy the condition: newest first, or oldest first.
  func records(_ condition: Condition, oldestFirst: Bool, limit: Int) -> [Record]

  /// Whether the run may go on when it keeps so many bytes more of what it was given until it is done with all.
  func allows(keeping byteCount: Int) -> Bool
}

extension Array: RecordSource where Element == Record {
  /// Of records that stand newest first.
  func records(_ condition: Condition, oldestFirst: Bool, limit: Int) -> [Record] {
    // No condition of these stages asks for the fields of sessions.
    let sessions = SessionTable([])
    let found = filter { condition.holds(for: RecordRow(record: $0, sessions: sessions)) }
    return Array((oldestFirst ? found.reversed() : found).prefix(limit))
  }

  func allows(keeping byteCount: Int) -> Bool { true }
}

/// The records of segments, without those in damaged granules.
final class SegmentRecords: RecordSource {
  private let segments: [Segment]
  private let sessions: SessionTable
  private let budget: RunBudget
  /// What is kept.
  private let memory: HeldMemory
  /// Grows by what the searches find damaged.
  private(set) var damaged: Set<Executor.GranuleNumber>

  init(
    _ segments: [Segment], _ sessions: SessionTable, damaged: Set<Executor.GranuleNumber>,
    _ budget: RunBudget
  ) {
    self.budget = budget
    memory = HeldMemory(budget)
    self.segments = segments
    self.sessions = sessions
    self.damaged = damaged
  }

  func records(_ condition: Condition, oldestFirst: Bool, limit: Int) -> [Record] {
    var query = BoundQuery(condition: condition)
    if oldestFirst {
      query.recordStages = [
        .sort(
          [Field.time, .sequence].map {
            .init(operand: .field(.field($0)), isDescending: false)
          })
      ]
    }
    query.recordStages.append(.limit(limit))
    var limits = QueryLimits()
    limits.rowCount = .max
    var executor = Executor(
      query: query, probe: SegmentProbe(query.condition), segments: segments, sessions: sessions,
      limits: limits, budget: budget,
      knownGaps: [], damaged: damaged)
    let records = executor.run().records
    damaged.formUnion(executor.damaged)
    return records
  }

  func allows(keeping byteCount: Int) -> Bool { memory.allows(more: byteCount) }
}

extension Condition {
  /// The record's field has this value.
  static func field(_ field: Field, is value: Value) -> Condition {
    .test(.field(.field(field)), .order(.equal, value))
  }

  /// The record's field stands so to the value.
  static func field(_ field: Field, _ comparison: Comparison, _ value: Value) -> Condition {
    .test(.field(.field(field)), .order(comparison, value))
  }
}
