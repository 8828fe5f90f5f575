internal import SegmentIndex
internal import Synchronization

/// A row that passed, and what decides its place among the others.
struct FoundRow: Sendable {
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
struct RowOrdering: Sendable {
  private(set) var orders: [BoundQuery.SortOrder] = []
  /// Whether rows are wanted in ascending order of time: then they need no keys.
  private(set) var isOldestFirst = false
  /// What tells rows apart in a `dedup`; then nothing is sorted by.
  var dedupKeys: [Operand] = []
  /// Whether two segments can hold rows of the same time, so that session and sequence decide.
  var segmentsOverlap = false

  /// Whether rows are wanted newest first.
  var isNewestFirst: Bool { orders.isEmpty && dedupKeys.isEmpty && !isOldestFirst }

  /// Makes it the order of a `sort`.
  mutating func sort(by orders: [BoundQuery.SortOrder]) {
    self.orders = orders
    guard let order = orders.first, orders.count == 1, order.operand == .field(.field(.time))
    else { return }
    self.orders = []
    isOldestFirst = !order.isDescending
  }

  func precedes(_ left: FoundRow, _ right: FoundRow) -> Bool {
    if isOldestFirst, left.position.time != right.position.time {
      return left.position.time < right.position.time
    }
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
      ordering.sort(by: orders)
      stages.removeFirst()
    }
    if case .dedup(let keys)? = stages.first {
      // The newest of each key are the same in any order.
      ordering = RowOrdering(dedupKeys: keys, segmentsOverlap: segmentsOverlap)
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
    if limit >= Self.soughtAtOnce { return allRows(ordering, limit) }
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
      case .granule(let granule):
        collect(granule, &queue.scans, ordering, limit, before: worst, &found)
      }
      // Sorting now and then keeps memory bounded; sorting once early tells where to stop.
      let isFirstTime = worst == nil && found.count >= limit
      if isFirstTime || found.count - limit >= max(limit, Segment.granuleRowCount) {
        cut(&found, ordering, limit)
        if ordering.isNewestFirst { oldestKept = found.last?.position.time }
        worst = found.last
      }
      guard budget.allows(holding: FoundRow.byteCount(of: found)) else { return [] }
    }
    summary.skippedSegmentCount += queue.unopenedCount
    cut(&found, ordering, limit)
    return found
  }

  /// With a limit of so many rows the search does not stop early.
  private static let soughtAtOnce = 65_536

  /// The first `limit` rows in the order, for limits that few answers reach: all rows are looked at.
  private mutating func allRows(_ ordering: RowOrdering, _ limit: Int) -> [FoundRow] {
    let parts = concurrently(on: segments.indices) { worker, pieces, scans -> [FoundRow] in
      var found: [FoundRow] = []
      for piece in pieces {
        guard let scan = scans[piece.segment] ?? worker.scan(piece.segment) else { continue }
        scans[piece.segment] = scan
        for granule in scan.granules(of: piece) {
          let number = GranuleNumber(segment: piece.segment, granule: granule)
          worker.collect(number, &scans, ordering, limit, before: nil, &found)
          if found.count / 2 >= limit { worker.cut(&found, ordering, limit) }
          guard worker.budget.allows(holding: FoundRow.byteCount(of: found)) else { return [] }
        }
      }
      return found
    }
    var found = parts.count == 1 ? parts[0] : Array(parts.joined())
    cut(&found, ordering, limit)
    return found
  }

  /// Puts the rows into their order and drops those that are too many.
  private func cut(_ found: inout [FoundRow], _ ordering: RowOrdering, _ limit: Int) {
    found.sort(by: ordering.precedes)
    if found.count > limit { found.removeSubrange(limit...) }
  }

  mutating func collect(
    _ granule: GranuleNumber, _ scans: inout [Int: SegmentScan], _ ordering: RowOrdering,
    _ limit: Int, before worst: FoundRow?, _ found: inout [FoundRow]
  ) {
    guard var scan = scans.removeValue(forKey: granule.segment) else { return }
    let first = segments[granule.segment].rows(ofGranule: granule.granule).lowerBound
    visit(granule.granule, of: granule.segment, &scan) { all, reader throws(SegmentError) in
      var rows = all
      // Rows of a segment are in the order of time.
      if ordering.isNewestFirst { rows.keepLast(limit) }
      let time = try reader.loadedSlot(of: .time, rows)
      let session = ordering.segmentsOverlap ? try reader.loadedSlot(of: .session, rows) : nil
      let sequence = ordering.segmentsOverlap ? try reader.loadedSlot(of: .sequence, rows) : nil
      var slots: [Int] = []
      var keys: [Operand] = []
      for operand in ordering.orders.map(\.operand) + ordering.dedupKeys {
        keys.append(try operand.readingSlots(of: &reader, &slots))
      }
      for slot in slots {
        try reader.load(slot, rows)
        try reader.loadTerms(slot)
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

  /// Found rows of one granule.
  private struct GranuleRows: Sendable {
    let number: GranuleNumber
    /// Their places among the found rows, and the rows, counted from the segment's first and ascending.
    var places: [Int] = []
    var rows: [Int] = []
  }

  /// The found rows by granule, so that each is decoded once.
  private func granules(of found: [FoundRow]) -> [GranuleRows] {
    let places = found.indices.sorted { left, right in
      (found[left].segment, found[left].row) < (found[right].segment, found[right].row)
    }
    var granules: [GranuleRows] = []
    for place in places {
      let row = found[place]
      let number = GranuleNumber(
        segment: row.segment, granule: row.row / Segment.granuleRowCount)
      // Not all of a large one by the same thread.
      if granules.last?.number != number || granules[granules.count - 1].rows.count >= 1_024 {
        granules.append(GranuleRows(number: number))
      }
      granules[granules.count - 1].places.append(place)
      granules[granules.count - 1].rows.append(row.row)
    }
    return granules
  }

  /// What `read` makes of the rows of each granule, in the order found; nil when some could not be read, which is noted
  /// as damage.
  ///
  /// - Parameters:
  ///   - byteCount: about how many bytes an element takes.
  ///   - makeReader: makes what reads one segment.
  private mutating func elements<Element: Sendable, Reader>(
    of found: [FoundRow],
    size byteCount: @Sendable (Element) -> Int,
    _ makeReader: @Sendable (Segment) throws(SegmentError) -> Reader,
    _ read:
      @Sendable (inout Reader, _ granule: Int, _ rows: [Int]) throws(SegmentError) -> [Element]
  ) -> [Element]? {
    let granules = granules(of: found)
    let isSmall = found.count < concurrency.rowCount || granules.count == 1
    let shareCount = isSmall ? 1 : min(concurrency.threadCount, granules.count)
    let (segments, budget) = (segments, budget)
    let held = Mutex(FoundRow.byteCount(of: found))
    let shares = concurrentResults(shareCount) { share -> [[Element]?] in
      var reader: (segment: Int, reader: Reader)?
      let start = granules.count * share / shareCount
      let end = granules.count * (share + 1) / shareCount
      return granules[start..<end].map { granule in
        guard budget.allows(holding: held.withLock { $0 }) else { return nil }
        do throws(SegmentError) {
          let segment = granule.number.segment
          var current: Reader
          if let known = reader, known.segment == segment {
            current = known.reader
          } else {
            current = try makeReader(segments[segment])
          }
          reader = nil
          defer { reader = (segment, current) }
          let elements = try read(&current, granule.number.granule, granule.rows)
          let size = elements.reduce(0) { $0 + byteCount($1) }
          held.withLock { $0 += size }
          return elements
        } catch {
          return nil
        }
      }
    }
    guard budget.allows(holding: held.withLock { $0 }) else { return nil }
    var read: [[Element]] = []
    read.reserveCapacity(granules.count)
    // For each found row which of its granule's it is. Elements are large and copied once.
    var sources = [(granule: Int, index: Int)](repeating: (0, 0), count: found.count)
    var isWhole = true
    for (index, elements) in shares.joined().enumerated() {
      read.append(elements ?? [])
      if elements == nil {
        damaged.insert(granules[index].number)
        isWhole = false
      }
      for (offset, place) in granules[index].places.enumerated() {
        sources[place] = (index, offset)
      }
    }
    return isWhole ? sources.map { read[$0.granule][$0.index] } : nil
  }

  /// Whole records, in the order found; nil when some could not be read, which is noted as damage.
  private mutating func records(of found: [FoundRow]) -> [Record]? {
    elements(of: found, size: { $0.byteCount }) { segment throws(SegmentError) in
      try RecordReader(segment)
    } _: { reader, _, rows throws(SegmentError) in
      try reader.records(at: rows)
    }
  }

  /// The operands' values, in the order found; nil when some could not be read, which is noted as damage.
  private mutating func values(of found: [FoundRow], _ operands: [Operand]) -> [[Value?]]? {
    let sessions = sessions
    let size = MemoryLayout<[Value?]>.stride + operands.count * MemoryLayout<Value?>.stride
    return elements(of: found, size: { _ in size }) { segment throws(SegmentError) in
      try ValueReader(segment, sessions, operands)
    } _: { reader, granule, rows throws(SegmentError) in
      try reader.values(of: rows, inGranule: granule)
    }
  }
}

/// Reads the values of operands in rows of one segment.
private struct ValueReader {
  private var reader: GranuleReader
  /// The operands, reading slots.
  private var operands: [Operand] = []
  private var slots: [Int] = []
  /// The slots that are the operands, when these compute nothing.
  private var columns: [Int]?

  init(
    _ segment: Segment, _ sessions: SessionTable, _ operands: [Operand]
  ) throws(SegmentError) {
    reader = GranuleReader(segment, sessions)
    for operand in operands {
      self.operands.append(try operand.readingSlots(of: &reader, &slots))
    }
    for slot in slots { try reader.loadTerms(slot) }
    let plain = self.operands.compactMap { operand -> Int? in
      if case .column(let slot) = operand { slot } else { nil }
    }
    columns = plain.count == operands.count ? plain : nil
  }

  /// The values of rows of a granule, counted from the segment's first and ascending.
  mutating func values(
    of rows: [Int], inGranule granule: Int
  ) throws(SegmentError) -> [[Value?]] {
    let all = reader.segment.rows(ofGranule: granule)
    var wanted = RowBits(count: all.count, all: false)
    for row in rows { wanted.insert(row - all.lowerBound) }
    reader.move(to: granule)
    for slot in slots { try reader.load(slot, wanted) }
    var values: [[Value?]] = []
    values.reserveCapacity(rows.count)
    for row in wanted {
      reader.row = row
      var row: [Value?] = []
      row.reserveCapacity(operands.count)
      if let columns {
        for column in columns { row.append(reader.column(column)) }
      } else {
        for operand in operands { row.append(operand.value(in: reader)) }
      }
      values.append(row)
    }
    return values
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
  /// The slot of a field that every record has, decoded for rows of the current granule.
  fileprivate mutating func loadedSlot(
    of field: Field, _ rows: RowBits
  ) throws(SegmentError) -> Int {
    let slot = try slot(of: .field(field))
    try load(slot, rows)
    try loadTerms(slot)
    return slot
  }
}
