internal import SegmentIndex

/// Found rows, in the order of the answer, by the granules that they are read from.
struct FoundRows: Sendable {
  /// Rows that are read together: of one granule, ascending.
  struct Chunk: Sendable {
    let number: Executor.GranuleNumber
    var rows: [Int]

    /// The page of texts that the last row is in.
    fileprivate var lastPage: Int? { rows.last.map { $0 / FoundRows.pageRowCount } }
  }

  private(set) var chunks: [Chunk] = []
  /// For each place of the answer which one it is of the rows as the chunks have them; nil when that is the same order.
  private(set) var order: [Int]?
  let count: Int

  /// With so many rows a chunk ends, so that not all of a granule are read by the same thread, but only where a page of
  /// texts does.
  private static let chunkRowCount = 512
  fileprivate static let pageRowCount = 256

  /// About how many bytes this takes.
  var byteCount: Int {
    chunks.count * (MemoryLayout<Chunk>.stride + 32)
      + count * MemoryLayout<Int>.stride * (order == nil ? 1 : 2)
  }

  init(places: [RowPlace]) {
    count = places.count
    var runCount = 0
    for index in places.indices.dropFirst()
    where Self.number(places[index]) != Self.number(places[index - 1]) { runCount += 1 }
    // A chunk for each run of rows of a granule, unless that would be many: each may need a reader of its own.
    if runCount <= count / 64 {
      group(places)
    } else {
      let order = places.indices.sorted { left, right in
        (places[left].segment, places[left].row) < (places[right].segment, places[right].row)
      }
      for place in order { add(places[place]) }
      self.order = Self.inverse(order)
    }
  }

  /// Makes a chunk of each run of rows of a granule.
  private mutating func group(_ places: [RowPlace]) {
    var sorted: [Int] = []
    for place in places { add(place) }
    var start = 0
    for index in chunks.indices {
      let rows = chunks[index].rows
      defer { start += rows.count }
      guard zip(rows, rows.dropFirst()).contains(where: { $0 > $1 }) else {
        if !sorted.isEmpty { sorted += start..<start + rows.count }
        continue
      }
      if sorted.isEmpty { sorted = Array(0..<start) }
      let isDescending = !zip(rows, rows.dropFirst()).contains { $0 < $1 }
      let order =
        isDescending
        ? rows.indices.reversed() : rows.indices.sorted { rows[$0] < rows[$1] }
      chunks[index].rows = order.map { rows[$0] }
      sorted += order.map { start + $0 }
    }
    if !sorted.isEmpty { order = Self.inverse(sorted) }
  }

  private static func number(_ place: RowPlace) -> Executor.GranuleNumber {
    Executor.GranuleNumber(
      segment: place.segment, granule: place.row / Segment.granuleRowCount)
  }

  private mutating func add(_ place: RowPlace) {
    let number = Self.number(place)
    let isInLast =
      chunks.last.map { last in
        last.number == number
          && (last.rows.count < Self.chunkRowCount
            || place.row / Self.pageRowCount == last.lastPage)
      } ?? false
    if !isInLast { chunks.append(Chunk(number: number, rows: [])) }
    chunks[chunks.count - 1].rows.append(place.row)
  }

  private static func inverse(_ order: [Int]) -> [Int] {
    var inverse = [Int](repeating: 0, count: order.count)
    for (index, place) in order.enumerated() { inverse[place] = index }
    return inverse
  }

  /// Puts what was read of the rows, a chunk after the other, into the order of the answer.
  func arrange<Element>(_ elements: inout [Element]) {
    if let order { elements.arrange(order) }
  }
}
