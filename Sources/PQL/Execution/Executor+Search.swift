internal import SegmentIndex

extension Executor {
  /// The first `limit` rows, at least one, in the order.
  mutating func rows(_ ordering: RowOrdering, _ limit: Int) -> [RowPlace] {
    if limit >= concurrency.soughtAtOnce { return allRows(ordering, limit) }
    var queue = GranuleQueue(segments, oldestFirst: ordering.isOldestFirst)
    var found = Candidates(ordering, limit: limit, budget)
    var lastKept: Int64?
    while let (next, place) = queue.next() {
      // In the order of time, nothing later can hold a row that is wanted.
      if let lastKept, place < lastKept {
        if case .segment = next { summary.skippedSegmentCount += 1 }
        break
      }
      switch next {
      case .segment(let index):
        if let scan = scan(index) { queue.open(index, scan) }
        continue
      case .granule(let granule):
        collect(granule, &queue.scans, ordering, limit, before: found.last) { found.add($0) }
      }
      // Sorting now and then keeps memory bounded; sorting once early tells where to stop.
      if found.last == nil && found.rows.count >= limit || found.areTooMany {
        found.cut()
        if ordering.isByTime { lastKept = found.last.map { queue.place(of: $0.position.time) } }
      }
      guard found.hasRoom() else { return [] }
    }
    summary.skippedSegmentCount += queue.unopenedCount
    found.finish()
    return Candidates.merged([found])
  }

  /// The first `limit` rows in the order, for limits that few answers reach: all rows are looked at.
  private mutating func allRows(_ ordering: RowOrdering, _ limit: Int) -> [RowPlace] {
    // Each keeps as many rows as are wanted, and where there are many processors that may not fit the memory.
    let rowCount = min(limit, segments.reduce(0) { $0 + $1.rowCount })
    let byteCount = Candidates.byteCount(limit: rowCount, keyCount: ordering.orders.count)
    let mostWorkers = budget.partCount(ofBytes: byteCount)
    let parts = concurrently(on: segments.indices, mostWorkers: mostWorkers) {
      worker, pieces, scans -> Candidates in
      var found = Candidates(ordering, limit: limit, worker.budget)
      for piece in pieces {
        guard let scan = scans[piece.segment] ?? worker.scan(piece.segment) else { continue }
        scans[piece.segment] = scan
        for granule in scan.granules(of: piece) {
          let number = GranuleNumber(segment: piece.segment, granule: granule)
          worker.collect(number, &scans, ordering, limit, before: found.last) { found.add($0) }
          if found.areTooMany { found.cut() }
          guard found.hasRoom() else { return found }
        }
      }
      found.finish()
      return found
    }
    guard budget.allows(holding: parts.reduce(0) { $0 + $1.rows.count } * 8) else { return [] }
    return Candidates.merged(parts)
  }

  /// Calls `body` with the rows of a granule that pass, and come before `last`; of rows that are wanted newest first, with
  /// the newest `limit`.
  mutating func collect(
    _ granule: GranuleNumber, _ scans: inout Scans, _ ordering: RowOrdering,
    _ limit: Int, before last: FoundRow?, _ body: (FoundRow) -> Void
  ) {
    guard var scan = scans.take(granule.segment) else { return }
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
        let place = RowPlace(segment: granule.segment, row: first + row)
        let key = RowKey.values(of: keys, in: reader)
        let found = FoundRow(place: place, position: position, key: key)
        if let last, !ordering.precedes(found, last) { continue }
        body(found)
      }
    }
    scans[granule.segment] = scan
  }
}

extension GranuleReader {
  /// The slot of a field that every record has.
  mutating func slot(ofEvery field: Field) throws(SegmentError) -> Int {
    let slot = try slot(of: .field(field))
    if case .absent = slots[slot].source { throw segment.lacking(field.rawValue) }
    return slot
  }

  /// The slot of a field that every record has, decoded for rows of the current granule.
  mutating func loadedSlot(
    of field: Field, _ rows: RowBits
  ) throws(SegmentError) -> Int {
    let slot = try slot(ofEvery: field)
    try load(slot, rows)
    try loadTerms(slot)
    return slot
  }
}
