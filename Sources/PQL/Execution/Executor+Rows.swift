internal import SegmentIndex

/// A row that passed, and what decides its place among the others.
struct FoundRow {
  let segment: Int
  /// Counted from the segment's first.
  let row: Int
  let position: RowPosition
  /// The values it is sorted by or told apart by; none when rows are wanted newest first.
  var keys: [Value?] = []

  /// About how many bytes the rows take, in an array that grows and is sorted. The keys of the last ones stand for all.
  static func byteCount(of rows: [FoundRow]) -> Int {
    let sample = rows.suffix(16)
    let keys = sample.reduce(0) { sum, row in
      sum + (row.keys.isEmpty ? 0 : 32)
        + row.keys.reduce(0) { $0 + MemoryLayout<Value?>.stride + ($1?.heapByteCount ?? 0) }
    }
    return rows.count * (2 * MemoryLayout<FoundRow>.stride + keys / max(sample.count, 1))
  }
}

extension Value {
  /// About how many bytes the value takes beyond itself.
  fileprivate var heapByteCount: Int {
    switch self {
    case .string(let text), .json(let text): text.utf8.count > 15 ? 32 + text.utf8.count : 0
    case .list(let values): values.reduce(32) { $0 + 48 + $1.heapByteCount }
    default: 0
    }
  }
}

/// The order in which rows are wanted: by the keys, and newest first among equals.
struct RowOrdering {
  var orders: [BoundQuery.SortOrder] = []
  /// What tells rows apart in a `dedup`; then nothing is sorted by.
  var dedupKeys: [Operand] = []
  /// Whether two segments can hold rows of the same time, so that session and sequence decide.
  var segmentsOverlap = false

  func precedes(_ left: FoundRow, _ right: FoundRow) -> Bool {
    for (index, order) in orders.enumerated() {
      let (first, second) = (left.keys[index], right.keys[index])
      let decided = order.isDescending ? descendingOrder(first, second) : Value.order(first, second)
      if decided != .same { return decided == .before }
    }
    return left.position > right.position
  }
}

extension Executor {
  /// The answer of a query that lists rows: finds them, in order and no more than needed, then puts
  /// together what the query shows of them. nil when that found damage.
  mutating func listedRows() -> QueryResult.Rows? {
    var stages = query.recordStages[...]
    var ordering = RowOrdering(segmentsOverlap: segmentsOverlap)
    if case .sort(let orders)? = stages.first {
      ordering.orders = orders
      stages.removeFirst()
    }
    if case .dedup(let keys)? = stages.first {
      // The newest of each key are the same in any order.
      ordering.orders = []
      ordering.dedupKeys = keys
      stages.removeFirst()
    }
    var limit = Int.max
    if case .limit(let count)? = stages.first {
      limit = count
      stages.removeFirst()
    } else if stages.isEmpty {
      limit = limitOfExit
    }
    let found = ordering.dedupKeys.isEmpty ? rows(ordering, limit) : newestRows(ordering, limit)
    if stages.isEmpty, case .project(let columns) = query.exit {
      guard let rows = values(of: found, columns.map(\.operand)) else { return nil }
      return pipeline.finish(Table(columns: columns.map(\.name), rows: rows), &summary)
    }
    guard let records = records(of: found) else { return nil }
    let pipeline = pipeline
    let rows = pipeline.run(records, stages, &summary)
    // What only a stage's own search found damaged must be missing everywhere.
    guard pipeline.source.damaged.isSubset(of: damaged) else {
      damaged.formUnion(pipeline.source.damaged)
      return nil
    }
    return rows
  }

  /// How many rows are worth finding when no stage on records says so: one more than may be returned, so
  /// that a cut is noticed.
  private var limitOfExit: Int {
    let most = limits.rowCount == .max ? .max : limits.rowCount + 1
    switch query.exit {
    case .records: return most
    case .project:
      if case .limit(let count)? = query.tableStages.first { return count }
      return query.tableStages.isEmpty ? most : .max
    case .group, .timeline, .spans: return .max
    }
  }

  private var segmentsOverlap: Bool {
    let ranges = segments.compactMap(\.timeRange).sorted { $0.lowerBound < $1.lowerBound }
    return zip(ranges, ranges.dropFirst()).contains { $0.upperBound >= $1.lowerBound }
  }

  // MARK: Finding

  /// The first `limit` rows in the order.
  private mutating func rows(_ ordering: RowOrdering, _ limit: Int) -> [FoundRow] {
    guard limit > 0 else { return [] }
    var queue = GranuleQueue(segments)
    var found: [FoundRow] = []
    var oldestKept: Int64?
    // Once enough are found, only rows before the last of them matter.
    var worst: FoundRow?
    while let (next, newest) = queue.next() {
      // Newest first, nothing later can hold a row that is wanted.
      if let oldestKept, newest < oldestKept {
        if case .segment = next { summary.skippedSegmentCount += 1 }
        break
      }
      switch next {
      case .segment(let index):
        if let scan = scan(index) { queue.open(index, scan) }
        continue
      case .granule(let granule): collect(granule, &queue.scans, ordering, before: worst, &found)
      }
      // Sorting now and then keeps memory bounded; sorting once early tells where to stop.
      let isFirstTime = worst == nil && found.count >= limit
      if isFirstTime || found.count - limit >= max(limit, Segment.granuleRowCount) {
        found.sort(by: ordering.precedes)
        found.removeSubrange(min(limit, found.count)...)
        if ordering.orders.isEmpty { oldestKept = found.last?.position.time }
        worst = found.last
      }
      guard budget.allows(holding: FoundRow.byteCount(of: found)) else { return [] }
    }
    summary.skippedSegmentCount += queue.unopenedCount
    found.sort(by: ordering.precedes)
    return Array(found.prefix(limit))
  }

  mutating func collect(
    _ granule: GranuleNumber, _ scans: inout [Int: SegmentScan], _ ordering: RowOrdering,
    before worst: FoundRow?, _ found: inout [FoundRow]
  ) {
    guard var scan = scans.removeValue(forKey: granule.segment) else { return }
    let first = segments[granule.segment].rows(ofGranule: granule.granule).lowerBound
    visit(granule.granule, of: granule.segment, &scan) { rows, reader throws(SegmentError) in
      let time = try reader.loadedSlot(of: .time)
      let session = ordering.segmentsOverlap ? try reader.loadedSlot(of: .session) : nil
      let sequence = ordering.segmentsOverlap ? try reader.loadedSlot(of: .sequence) : nil
      var slots: [Int] = []
      var keys: [Operand] = []
      for operand in ordering.orders.map(\.operand) + ordering.dedupKeys {
        keys.append(try operand.readingSlots(of: &reader, &slots))
      }
      for slot in slots {
        try reader.load(slot)
        try reader.loadValues(slot)
      }
      for row in rows {
        reader.row = row
        // Within one segment, and among segments that do not overlap, rows order as their numbers.
        var position = RowPosition(
          time: reader.slots[time].integers[row], sequence: UInt64(first + row))
        if let session, let sequence, case .uuid(let id)? = reader.column(session) {
          position.session = id.bits
          position.sequence = UInt64(bitPattern: reader.slots[sequence].integers[row])
        }
        let candidate = FoundRow(
          segment: granule.segment, row: first + row, position: position,
          keys: keys.isEmpty ? [] : keys.map { $0.value(in: reader) })
        if let worst, !ordering.precedes(candidate, worst) { continue }
        found.append(candidate)
      }
    }
    scans[granule.segment] = scan
  }

  // MARK: Putting together

  /// The found rows by segment and row, so that each page of a column is read once.
  private func places(_ found: [FoundRow]) -> [Int] {
    found.indices.sorted { left, right in
      (found[left].segment, found[left].row) < (found[right].segment, found[right].row)
    }
  }

  /// Whole records, in the order found; nil when some could not be read, which is noted as damage.
  private mutating func records(of found: [FoundRow]) -> [Record]? {
    var records = [Record?](repeating: nil, count: found.count)
    var reader: (segment: Int, reader: RecordReader)?
    var isWhole = true
    var byteCount = FoundRow.byteCount(of: found)
    for (index, place) in places(found).enumerated() {
      if index & 255 == 0, !budget.allows(holding: byteCount) { return nil }
      let row = found[place]
      do throws(SegmentError) {
        if reader?.segment != row.segment {
          reader = nil
          reader = (row.segment, try RecordReader(segments[row.segment]))
        }
        records[place] = try reader?.reader.record(at: row.row)
        byteCount += records[place]?.byteCount ?? 0
      } catch {
        noteDamage(row)
        isWhole = false
      }
    }
    return isWhole ? records.compactMap { $0 } : nil
  }

  /// The operands' values, in the order found; nil when some could not be read, which is noted as damage.
  private mutating func values(of found: [FoundRow], _ operands: [Operand]) -> [[Value?]]? {
    var values = [[Value?]](repeating: [], count: found.count)
    var readers: (segment: Int, reader: GranuleReader, operands: [Operand], slots: [Int])?
    var isWhole = true
    let rowByteCount = MemoryLayout<[Value?]>.stride + operands.count * MemoryLayout<Value?>.stride
    for (index, place) in places(found).enumerated() {
      if index & 255 == 0, !budget.allows(holding: found.count * 32 + index * rowByteCount) {
        return nil
      }
      let row = found[place]
      do throws(SegmentError) {
        if readers?.segment != row.segment {
          readers = nil
          var reader = GranuleReader(segments[row.segment], sessions)
          var slots: [Int] = []
          var rewritten: [Operand] = []
          for operand in operands {
            rewritten.append(try operand.readingSlots(of: &reader, &slots))
          }
          for slot in slots { try reader.loadValues(slot) }
          readers = (row.segment, reader, rewritten, slots)
        }
        let granule = row.row / Segment.granuleRowCount
        readers?.reader.move(to: granule)
        readers?.reader.row = row.row % Segment.granuleRowCount
        for slot in readers?.slots ?? [] { try readers?.reader.load(slot) }
        if let readers { values[place] = readers.operands.map { $0.value(in: readers.reader) } }
      } catch {
        noteDamage(row)
        isWhole = false
      }
    }
    return isWhole ? values : nil
  }

  private mutating func noteDamage(_ row: FoundRow) {
    damaged.insert(
      GranuleNumber(segment: row.segment, granule: row.row / Segment.granuleRowCount))
  }
}

extension Record {
  /// About how many bytes the record takes.
  fileprivate var byteCount: Int {
    MemoryLayout<Record>.stride + message.utf8.count + payload.count
      + scopes.reduce(0) { $0 + 16 + $1.utf8.count } + tags.count * 64
  }
}

extension GranuleReader {
  /// The slot of a field that every record has, decoded for the current granule.
  fileprivate mutating func loadedSlot(of field: Field) throws(SegmentError) -> Int {
    let slot = try slot(of: .field(field))
    try load(slot)
    try loadValues(slot)
    return slot
  }
}
