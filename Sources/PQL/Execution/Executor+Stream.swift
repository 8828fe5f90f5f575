internal import SegmentIndex

extension Executor {
  /// Hands the records that pass to `body`, newest first, a granule's or so at a time: memory does not grow with their
  /// number. Nil, and nothing is handed over, when the query does more than to list records.
  ///
  /// A granule is put together before any of its records is handed over, so that one which cannot be read is left out
  /// as a whole here, too.
  mutating func streamRecords(_ body: ([Record]) -> Void) -> QuerySummary? {
    guard query.recordStages.isEmpty, case .records = query.exit else { return nil }
    skippedSegments = RowBits(count: segments.count, all: false)
    summary.segmentCount = segments.count
    summary.granuleCount = segments.reduce(0) { $0 + $1.granuleCount }
    summary.gaps = knownGaps
    var queue = GranuleQueue(segments)
    var waiting: [Waiting] = []
    var count = 0
    while let (next, newest) = queue.next() {
      // What is left can only be older.
      hand(over: &waiting, newerThan: newest, &count, body)
      guard !summary.isCut else { break }
      switch next {
      case .segment(let index):
        if let scan = scan(index) { queue.open(index, scan) }
      case .granule(let granule): waiting += records(of: granule, &queue.scans)
      }
    }
    hand(over: &waiting, newerThan: nil, &count, body)
    summary.skippedSegmentCount += skippedSegments.count
    summary.notes += QueryRemarks.remarks(on: query, .records([]), segments)
    return summary
  }

  /// A record that older ones may still have to be told from.
  private struct Waiting {
    let record: Record
    let position: RowPosition
  }

  /// Hands over the records that are newer than `time`, or all.
  private mutating func hand(
    over waiting: inout [Waiting], newerThan time: Int64?, _ count: inout Int,
    _ body: ([Record]) -> Void
  ) {
    waiting.sort { $0.position > $1.position }
    let end = time.map { time in waiting.firstIndex { $0.position.time <= time } ?? waiting.count }
    let newer = waiting.prefix(end ?? waiting.count)
    guard !newer.isEmpty, !summary.isCut else { return }
    var records = newer.map(\.record)
    records.cut(toRemaining: limits.rowCount - count, limits, &summary)
    count += records.count
    waiting.removeFirst(newer.count)
    body(records)
  }

  private mutating func records(
    of granule: GranuleNumber, _ scans: inout Scans
  ) -> [Waiting] {
    var records: [Waiting] = []
    guard var scan = scans.take(granule.segment) else { return [] }
    let segment = segments[granule.segment]
    let first = segment.rows(ofGranule: granule.granule).lowerBound
    visit(granule.granule, of: granule.segment, &scan) { rows, _ throws(SegmentError) in
      var reader = try RecordReader(segment)
      records = try reader.records(at: rows.rows.map { first + $0 }).map {
        Waiting(record: $0, position: $0.position)
      }
    }
    scans[granule.segment] = scan
    return records
  }
}
