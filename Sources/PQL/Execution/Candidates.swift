/// Rows of which the first `limit` in an order are wanted, fed in any order.
///
/// It keeps a quarter more than that, or some thousands, so that rows need not be sorted each time that one comes.
struct Candidates: Sendable {
  let ordering: RowOrdering
  let limit: Int
  private(set) var rows: [FoundRow] = []
  /// The rows' numbers in the order, once that is settled.
  private var order: [UInt32] = []
  /// The last row that is wanted of those fed so far; nil as long as there are not enough, or that was not looked at.
  private(set) var last: FoundRow?
  /// What the keys take beyond the rows.
  private var keyByteCount = 0
  private let memory: HeldMemory

  init(_ ordering: RowOrdering, limit: Int, _ budget: RunBudget) {
    self.ordering = ordering
    self.limit = limit
    memory = HeldMemory(budget)
  }

  /// About how many bytes the first `limit` rows take, and those that are too many. A key is taken for a text.
  static func byteCount(limit: Int, keyCount: Int) -> Int {
    (limit + max(limit / 4, 4_096)) * (MemoryLayout<FoundRow>.stride + keyCount * 128)
  }

  /// Adds a row, of those that come before `last`.
  mutating func add(_ row: FoundRow) {
    rows.reserveRoom(for: 1)
    rows.append(row)
    keyByteCount += row.key.heapByteCount
  }

  /// Whether so many rows more are there than wanted that it is time to drop them.
  var areTooMany: Bool { rows.count - limit >= max(limit / 4, 4_096) }

  /// Whether the run may go on to add rows.
  func hasRoom() -> Bool {
    memory.allows(rows.count * MemoryLayout<FoundRow>.stride + keyByteCount)
  }

  /// Puts the rows into their order and drops those that are too many.
  mutating func cut() {
    rows.sort(by: ordering.precedes)
    guard rows.count >= limit else { return }
    rows.removeSubrange(limit...)
    last = rows.last
    keyByteCount = rows.reduce(0) { $0 + $1.key.heapByteCount }
  }

  /// Settles the order, once no more rows are added.
  mutating func finish() {
    // Numbers are moved instead of rows.
    var order = rows.indices.map { UInt32($0) }
    order.sort { ordering.precedes(rows[Int($0)], rows[Int($1)]) }
    self.order = order
  }

  /// The places of the first `limit` rows of `parts`, of the same order and limit, each of which is finished.
  static func merged(_ parts: [Candidates]) -> [RowPlace] {
    guard let first = parts.first else { return [] }
    let count = min(first.limit, parts.reduce(0) { $0 + $1.rows.count })
    var places: [RowPlace] = []
    places.reserveCapacity(count)
    var next = [Int](repeating: 0, count: parts.count)
    while places.count < count {
      var best: (part: Int, row: FoundRow)?
      for part in parts.indices where next[part] < parts[part].rows.count {
        let row = parts[part].rows[Int(parts[part].order[next[part]])]
        if let best, !first.ordering.precedes(row, best.row) { continue }
        best = (part, row)
      }
      guard let best else { break }
      places.append(best.row.place)
      next[best.part] += 1
    }
    return places
  }
}
