internal import SegmentIndex

extension Executor {
  /// The newest row of each key of `ordering`, newest first: no more than `limit`, and no more keys than the
  /// run may have.
  mutating func newestRows(_ ordering: RowOrdering, _ limit: Int) -> [FoundRow] {
    guard limit > 0 else { return [] }
    var newest = NewestRows(limit: min(limit, limits.groupCount))
    var queue = GranuleQueue(segments)
    while let (next, time) = queue.next() {
      switch next {
      case .segment where newest.excludes(time): summary.skippedSegmentCount += 1
      case .granule where newest.excludes(time): break
      case .segment(let index):
        if let scan = scan(index) { queue.open(index, scan) }
        continue
      case .granule(let granule):
        var found: [FoundRow] = []
        collect(granule, &queue.scans, ordering, .max, before: nil, &found)
        for row in found { newest.add(row) }
        newest.prune()
        continue
      }
      break
    }
    summary.skippedSegmentCount += queue.unopenedCount
    if newest.isCut, limit > limits.groupCount { summary.noteCut(dedupNote(limits)) }
    return newest.rows
  }
}

/// What a summary says when a `dedup` has more keys than it may remember.
func dedupNote(_ limits: QueryLimits) -> String {
  "there are more than \(limits.groupCount) keys; only the newest are shown"
}

/// The newest row of each key, of the `limit` keys whose rows are newest, fed in any order.
private struct NewestRows {
  private let limit: Int
  private var byKey: [[Value?]: FoundRow] = [:]
  /// The oldest row that was kept when some had to go: nothing older matters any more.
  private var oldest: RowPosition?
  /// Whether there were more keys.
  private(set) var isCut = false

  init(limit: Int) {
    self.limit = limit
  }

  /// Whether no row up to `time` matters.
  func excludes(_ time: Int64) -> Bool {
    oldest.map { time < $0.time } ?? false
  }

  mutating func add(_ row: FoundRow) {
    if let oldest, row.position < oldest { return }
    if let known = byKey[row.keys], known.position > row.position { return }
    byKey[row.keys] = row
  }

  /// Forgets the rows beyond the limit. Done once for each granule, that bounds memory and costs little.
  mutating func prune() {
    guard byKey.count > limit else { return }
    isCut = true
    let kept = rows
    oldest = kept.last?.position
    byKey = Dictionary(uniqueKeysWithValues: kept.map { ($0.keys, $0) })
  }

  /// The rows, newest first.
  var rows: [FoundRow] {
    Array(byKey.values.sorted { $0.position > $1.position }.prefix(limit))
  }
}
