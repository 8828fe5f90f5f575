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

  /// The value of one row of the granule of `rowCount` rows that has these bytes, nil within when it has none; nil without
  /// when they are no granule, as far as that was looked at. Reads no more than it must.
  static func value(of row: Int, in bytes: RawSpan, rowCount: Int) -> Int64?? {
    var reader = ByteReader(bytes)
    guard let found = RowSet.place(of: row, &reader, rowCount: rowCount) else { return nil }
    guard let index = found.index else { return .some(nil) }
    switch reader.byte() {
    case 0:
      guard
        let values = PackedIntegers(&reader, count: found.count, orFewer: !found.isCounted),
        reader.remaining == 0, index < values.count
      else { return nil }
      return values[index]
    case 1:
      guard let count = reader.count(atMost: found.count),
        let table = PackedIntegers(&reader, count: count),
        let places = PackedIntegers(&reader, count: found.count, orFewer: !found.isCounted),
        reader.remaining == 0, index < places.count,
        case let place = places[index], place >= 0, place < Int64(count)
      else { return nil }
      return table[Int(place)]
    case 2 where found.isCounted:
      guard let rising = RisingIntegers(&reader, count: found.count) else { return nil }
      var finder = RisingIntegers.Finder()
      return rising.integer(at: index, &finder)
    default:
      // How many there are has to be known.
      guard let granule = Granule(bytes, rowCount: rowCount) else { return nil }
      var value: Int64?
      return granule.forEachValue(of: [row]) { value = $1 } ? .some(value) : nil
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
