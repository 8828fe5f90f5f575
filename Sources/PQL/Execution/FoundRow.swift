internal import SegmentIndex

/// Where a row is.
struct RowPlace: Sendable {
  // There may be millions, and neither number needs more bits.
  private let segmentNumber: UInt32
  private let rowNumber: UInt32

  init(segment: Int, row: Int) {
    segmentNumber = UInt32(segment)
    rowNumber = UInt32(row)
  }

  var segment: Int { Int(segmentNumber) }
  /// Counted from the segment's first.
  var row: Int { Int(rowNumber) }
}

/// A row that passed, and what decides its place among the others.
struct FoundRow: Sendable {
  // In this order the place fills up the key's last word, and a row takes 64 bytes.
  /// What it is sorted by or told apart by; none when rows are wanted newest first.
  let key: RowKey
  let place: RowPlace
  let position: RowPosition

  init(place: RowPlace, position: RowPosition, key: RowKey = .none) {
    self.place = place
    self.position = position
    self.key = key
  }
}

/// The values that a row is sorted by or told apart by. Most often it is one, which then needs no memory of its own.
enum RowKey: Sendable {
  case none
  case one(Value?)
  case several([Value?])

  /// The values of these operands in a row. It is no initializer because rows are large, and one would get a copy.
  static func values(of operands: [Operand], in row: some RowValues) -> RowKey {
    switch operands.count {
    case 0: .none
    case 1: .one(operands[0].value(in: row))
    default: .several(operands.map { $0.value(in: row) })
    }
  }

  /// A value, which must be one of them.
  subscript(index: Int) -> Value? {
    switch self {
    case .none: preconditionFailure("there is no such value")
    case .one(let value): value
    case .several(let values): values[index]
    }
  }

  var values: [Value?] {
    switch self {
    case .none: []
    case .one(let value): [value]
    case .several(let values): values
    }
  }

  /// About how many bytes the key takes beyond itself.
  var heapByteCount: Int {
    switch self {
    case .none: 0
    case .one(let value): value?.heapByteCount ?? 0
    case .several(let values):
      values.reduce(32) { $0 + MemoryLayout<Value?>.stride + ($1?.heapByteCount ?? 0) }
    }
  }
}

extension Value {
  /// About how many bytes the value takes beyond itself.
  var heapByteCount: Int {
    switch self {
    case .string(let text), .json(let text): text.utf8.count > 15 ? 16 + text.utf8.count : 0
    case .list(let values):
      values.reduce(32) { $0 + MemoryLayout<Value>.stride + $1.heapByteCount }
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
      let (first, second) = (left.key[index], right.key[index])
      let decided = order.isDescending ? descendingOrder(first, second) : Value.order(first, second)
      if decided != .same { return decided == .before }
    }
    return left.position > right.position
  }
}
