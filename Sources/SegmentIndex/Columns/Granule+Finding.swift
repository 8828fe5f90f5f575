internal import JournalKit

extension Granule {
  /// Calls `body` with each of `wanted` that has a value, and that value: rows counted from the granule's first,
  /// ascending and in range. False when a value is not there, or names no place in the table.
  @inline(__always)
  func forEachValue(of wanted: [Int], _ body: (Int, Int64) -> Void) -> Bool {
    switch values {
    case .packed(let values):
      var isSound = true
      forEachRank(of: wanted) { row, rank in
        guard rank < values.count else {
          isSound = false
          return
        }
        body(row, values[rank])
      }
      return isSound
    case .rising(let values):
      var finder = RisingIntegers.Finder()
      forEachRank(of: wanted) { row, rank in body(row, values.integer(at: rank, &finder)) }
      return true
    case .places(let places, let table):
      var isSound = true
      forEachRank(of: wanted) { row, rank in
        guard rank < places.count else {
          isSound = false
          return
        }
        let place = places[rank]
        guard place >= 0, place < Int64(table.count) else {
          isSound = false
          return
        }
        body(row, table[Int(place)])
      }
      return isSound
    }
  }

  /// What `IntegerColumn.runs(granule:endingAt:)` returns.
  func runs(endingAt end: (Int64) -> Int64) -> [(row: Int, value: Int64)]? {
    guard rows.isFull else { return nil }
    var runs: [(row: Int, value: Int64)] = []
    var row = 0
    switch values {
    case .packed(let values):
      while row < values.count {
        let value = values[row]
        runs.append((row, value))
        let end = end(value)
        row = (row + 1..<values.count).partitionPoint { values[$0] < end }
      }
    case .rising(let values):
      var finder = RisingIntegers.Finder()
      while row < values.count {
        let value = values.integer(at: row, &finder)
        runs.append((row, value))
        row = values.firstIndex(notBelow: end(value), from: row + 1, &finder)
      }
    case .places: return nil
    }
    return runs
  }

  /// Calls `body` with each of `wanted` that has a value, and its value's place among the values.
  @inline(__always)
  private func forEachRank(of wanted: [Int], _ body: (Int, Int) -> Void) {
    if rows.isFull {
      for row in wanted { body(row, row) }
      return
    }
    var finder = RowSet.Finder()
    for row in wanted {
      if let rank = rows.place(of: row, &finder) { body(row, rank) }
    }
  }
}
