internal import SegmentIndex

extension Executor {
  /// The newest row of each key of `ordering`, newest first: no more than `limit`, and no more keys than the
  /// run may have.
  mutating func newestRows(_ ordering: RowOrdering, _ limit: Int) -> [RowPlace] {
    guard limit > 0 else { return [] }
    var newest = NewestRows(limit: min(limit, limits.groupCount), budget)
    var queue = GranuleQueue(segments)
    while let (next, time) = queue.next() {
      switch next {
      case .segment where newest.excludes(time): summary.skippedSegmentCount += 1
      case .granule where newest.excludes(time): break
      case .segment(let index):
        if let scan = scan(index) { queue.open(index, scan) }
        continue
      case .granule(let granule):
        collect(granule, &queue.scans, ordering, .max, before: nil) { newest.add($0) }
        guard newest.hasRoom() else { return [] }
        newest.prune()
        continue
      }
      break
    }
    summary.skippedSegmentCount += queue.unopenedCount
    if newest.isCut, limit > limits.groupCount { summary.noteCut(dedupNote(limits)) }
    return newest.rows.map(\.place)
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
  /// What the keys take beyond the rows.
  private var keyByteCount = 0
  private let memory: HeldMemory
  /// The oldest row that was kept when some had to go: nothing older matters any more.
  private var oldest: RowPosition?
  /// Whether there were more keys.
  private(set) var isCut = false

  init(limit: Int, _ budget: RunBudget) {
    self.limit = limit
    memory = HeldMemory(budget)
  }

  /// Whether no row up to `time` matters.
  func excludes(_ time: Int64) -> Bool {
    oldest.map { time < $0.time } ?? false
  }

  mutating func add(_ row: FoundRow) {
    if let oldest, row.position < oldest { return }
    let key = row.key.values
    if let known = byKey[key] {
      guard row.position >= known.position else { return }
    } else {
      keyByteCount += row.key.heapByteCount
    }
    byKey[key] = row
  }

  /// Whether the run may go on to add rows.
  func hasRoom() -> Bool {
    // Beside a row there is the key as an array.
    let size = MemoryLayout<FoundRow>.stride + 64 + MemoryLayout<Value?>.stride
    return memory.allows(byKey.count * size + keyByteCount)
  }

  /// Forgets the rows beyond the limit. Done once for each granule, that bounds memory and costs little.
  mutating func prune() {
    guard byKey.count > limit else { return }
    isCut = true
    let kept = rows
    oldest = kept.last?.position
    byKey = Dictionary(uniqueKeysWithValues: kept.map { ($0.key.values, $0) })
    keyByteCount = kept.reduce(0) { $0 + $1.key.heapByteCount }
  }

  /// The rows, newest first.
  var rows: [FoundRow] {
    Array(byKey.values.sorted { $0.position > $1.position }.prefix(limit))
  }
}
