internal import SegmentIndex

/// Where a row is.
struct RowPlace: Sendable {
  let segment: Int
  /// Counted from the segment's first.
  let row: Int
}

/// A row that passed, and what decides its place among the others.
struct FoundRow: Sendable {
  let segment: Int
  /// Counted from the segment's first.
  let row: Int
  let position: RowPosition
  /// The values it is sorted by or told apart by; none when rows are wanted newest first.
  var keys: [Value?] = []

  var place: RowPlace { RowPlace(segment: segment, row: row) }

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
  /// The times that may be those of rows in several segments.
  var overlaps: [ClosedRange<Int64>] = []

  /// Whether two segments can hold rows of the same time, so that session and sequence decide.
  var segmentsOverlap: Bool { !overlaps.isEmpty }

  /// Whether rows are wanted newest first.
  var isNewestFirst: Bool { orders.isEmpty && dedupKeys.isEmpty && !isOldestFirst }

  /// Whether rows are wanted newest or oldest first.
  var isByTime: Bool { orders.isEmpty && dedupKeys.isEmpty }

  /// Whether segments and their rows stand in the order wanted, or in the opposite one.
  var isThatOfSegments: Bool { isByTime && !segmentsOverlap }

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
