/// Where each appended row ends up in the segment.
struct RowOrder {
  /// How many rows there are.
  let count: Int
  /// For each place in the segment, the row that was appended so-manieth; nil when rows keep their places.
  let rows: [UInt32]?
  /// For each appended row, its place; nil when rows keep their places.
  let places: [UInt32]?

  /// Rows keep their places.
  init(count: Int) {
    self.count = count
    rows = nil
    places = nil
  }

  /// The row at each place, in order.
  init(rows: [UInt32]) {
    var places = [UInt32](repeating: 0, count: rows.count)
    for (place, row) in rows.enumerated() { places[Int(row)] = UInt32(place) }
    count = rows.count
    self.rows = rows
    self.places = places
  }

  /// The row that belongs at `place`.
  func row(at place: Int) -> Int {
    rows.map { Int($0[place]) } ?? place
  }

  /// The elements of `values`, which has one for each appended row, in the order of the segment.
  func arranged<Value>(_ values: [Value]) -> [Value] {
    guard let rows else { return values }
    return rows.map { values[Int($0)] }
  }
}

/// Values of some of the rows, collected in the order of appending.
struct SparseValues<Value: BitwiseCopyable & Sendable>: Sendable {
  private(set) var values: [Value] = []
  /// The rows of the values from `denseCount` on; those before are on the rows of their numbers.
  private var sparseRows: [UInt32] = []
  private var denseCount = 0

  var count: Int { values.count }
  /// The bytes that this holds in memory.
  var byteCount: Int { values.count * MemoryLayout<Value>.stride + sparseRows.count * 4 }
  /// The row of each value.
  var rows: [UInt32] { Array(0..<UInt32(denseCount)) + sparseRows }

  /// Adds the value of `row`, which must be after all others.
  mutating func append(_ value: Value, row: Int) {
    if row == denseCount, sparseRows.isEmpty {
      denseCount += 1
    } else {
      sparseRows.append(UInt32(truncatingIfNeeded: row))
    }
    values.append(value)
  }

  /// The same values with the places of their rows in the segment, ascending.
  func arranged(by order: RowOrder) -> SparseValues {
    guard let places = order.places else { return self }
    var arranged = SparseValues()
    // With a value on every row the order says it all; else the places have to be sorted.
    if count == order.count {
      arranged.values = order.arranged(values)
      arranged.denseCount = denseCount
      return arranged
    }
    let rows = rows
    guard rows.count >= order.count / 64 else {
      let entries = rows.indices.sorted { places[Int(rows[$0])] < places[Int(rows[$1])] }
      for entry in entries { arranged.append(values[entry], row: Int(places[Int(rows[entry])])) }
      return arranged
    }
    // So many are put at their places sooner than they are sorted.
    var entries = [UInt32](repeating: .max, count: order.count)
    for (entry, row) in rows.enumerated() { entries[Int(places[Int(row)])] = UInt32(entry) }
    for (place, entry) in entries.enumerated() where entry != .max {
      arranged.append(values[Int(entry)], row: place)
    }
    return arranged
  }

  /// The indexes, within this, of the entries of each granule, for values that are in order.
  func granules(rowCount: Int) -> [Range<Int>] {
    var start = 0
    let rows = rows
    let count = SegmentFormat.partCount(size: SegmentFormat.granuleRowCount, rowCount: rowCount)
    return (0..<count).map { granule in
      let limit = (granule + 1) * SegmentFormat.granuleRowCount
      if limit <= denseCount {
        start = limit
        return limit - SegmentFormat.granuleRowCount..<limit
      }
      var end = start
      while end < rows.count, Int(rows[end]) < limit { end += 1 }
      defer { start = end }
      return start..<end
    }
  }
}
