internal import SegmentIndex

/// Rows collected from the oldest on.
struct RowsByTime: Sendable {
  /// In the order of time, session and sequence.
  private(set) var places: [RowPlace] = []
  /// The times of those, when rows of the same time are to be told.
  private var times: [Int64] = []

  var lastTime: Int64? { times.last }

  /// The bytes that this holds in memory.
  var byteCount: Int { places.count * MemoryLayout<RowPlace>.stride + times.count * 8 }

  /// Adds rows of one segment, whose numbers begin at `first`, and unless nobody will ask for ties their times by row.
  mutating func append(_ rows: [Int], of segment: Int, from first: Int, times: [Int64]?) {
    places.reserveCapacity(places.count + rows.count)
    for row in rows { places.append(RowPlace(segment: segment, row: first + row)) }
    if let times {
      for row in rows { self.times.append(times[row]) }
    }
  }

  /// Adds rows that follow these.
  mutating func append(_ other: RowsByTime) {
    places += other.places
    times += other.times
  }

  /// Keeps the first `limit` rows, oldest or newest first, and those that can yet come before them.
  ///
  /// - Parameter isMovable: whether a row may stand where it does not belong. What is before any other row is older, and
  ///   what is behind it newer.
  mutating func cut(to limit: Int, oldestFirst: Bool, _ isMovable: (RowPlace) -> Bool) {
    guard places.count > limit else { return }
    var start = 0
    var end = places.count
    if oldestFirst {
      end = limit
      // Of rows of the same time the newest come first.
      while end < places.count, isMovable(places[end - 1]) || times[end] == times[end - 1] {
        end += 1
      }
    } else {
      start = places.count - limit
      while start > 0, isMovable(places[start]) { start -= 1 }
    }
    places = Array(places[start..<end])
    if !times.isEmpty { times = Array(times[start..<end]) }
  }

  /// Puts the rows of these indices, ascending, into the order of their positions. Within a segment rows stand in order,
  /// also where two sessions share an identity.
  mutating func sort(_ indices: [Int], _ rows: [FoundRow]) {
    let sorted = rows.sorted { left, right in
      left.place.segment == right.place.segment
        ? left.place.row < right.place.row : left.position < right.position
    }
    for (index, row) in zip(indices, sorted) {
      places[index] = row.place
      if !times.isEmpty { times[index] = row.position.time }
    }
  }

  /// The rows, and those of the same time newest first.
  func oldestFirst() -> [RowPlace] {
    var ordered = places
    var start = 0
    while start < times.count {
      var end = start + 1
      while end < times.count, times[end] == times[start] { end += 1 }
      if end - start > 1 { ordered[start..<end].reverse() }
      start = end
    }
    return ordered
  }
}

extension Executor {
  /// The first `limit` rows, newest or oldest first, of segments that do not overlap, or with a limit for which the
  /// search does not stop early: looks at no more granules than it must, and sorts only where segments overlap. Nil when
  /// that found damage, or more rows in an overlap than memory allows.
  mutating func rowsByTime(_ limit: Int, _ ordering: RowOrdering) -> [RowPlace]? {
    let oldestFirst = ordering.isOldestFirst
    // With a limit that few answers reach, the search does not stop early.
    var found =
      limit >= concurrency.soughtAtOnce
      ? allRowsByTime(limit, ordering)
      : oldestFirst ? oldestRowsByTime(limit) : newestRowsByTime(limit)
    guard budget.stop == nil else { return [] }
    if ordering.segmentsOverlap, !sortOverlaps(ordering.overlaps, &found) { return nil }
    let rows = oldestFirst ? found.oldestFirst() : found.places.reversed()
    return rows.count > limit ? Array(rows.prefix(limit)) : rows
  }

  private mutating func allRowsByTime(_ limit: Int, _ ordering: RowOrdering) -> RowsByTime {
    // With each thread's rows what counts them, until they are joined.
    let parts = concurrently(on: segmentsByTime) { worker, pieces, scans in
      var found = RowsByTime()
      let memory = HeldMemory(worker.budget)
      for piece in pieces {
        guard var scan = scans.take(piece.segment) ?? worker.scan(piece.segment)
        else { continue }
        for granule in scan.granules(of: piece) {
          worker.collect(
            granule, of: piece.segment, &scan, tellsTies: ordering.isOldestFirst, &found)
          if found.places.count / 2 >= limit { worker.cut(&found, to: limit, ordering) }
          guard memory.allows(found.byteCount) else { return (rows: RowsByTime(), memory) }
        }
      }
      return (rows: found, memory)
    }
    defer { withExtendedLifetime(parts) {} }
    // All rows once more, and the order that they are brought into.
    let byteCount = parts.reduce(0) { $0 + $1.rows.byteCount } * 2
    guard budget.allows(holding: byteCount) else { return RowsByTime() }
    var found = parts.first?.rows ?? RowsByTime()
    for part in parts.dropFirst() { found.append(part.rows) }
    cut(&found, to: limit, ordering)
    return found
  }

  /// Lets go of rows that cannot be among the first `limit`.
  private func cut(_ found: inout RowsByTime, to limit: Int, _ ordering: RowOrdering) {
    // The granule of the last row asked about, and whether it is in an overlap.
    var last: (granule: GranuleNumber, isMovable: Bool)?
    found.cut(to: limit, oldestFirst: ordering.isOldestFirst) { place in
      guard ordering.segmentsOverlap else { return false }
      let granule = GranuleNumber(
        segment: place.segment, granule: place.row / Segment.granuleRowCount)
      if let last, last.granule == granule { return last.isMovable }
      let times = try? segments[granule.segment].timeBounds(ofGranule: granule.granule)
      let isMovable = times.map { ordering.overlaps.contains(where: $0.overlaps) } ?? true
      last = (granule, isMovable)
      return isMovable
    }
  }

  /// The oldest `limit` rows, or some more.
  private mutating func oldestRowsByTime(_ limit: Int) -> RowsByTime {
    var found = RowsByTime()
    var left = segmentsByTime[...]
    func isEnough(before time: Int64) -> Bool {
      // Of rows of the same time the newest come first.
      found.places.count >= limit && time > found.lastTime ?? .max
    }
    while let index = left.first {
      if let times = segments[index].timeRange, isEnough(before: times.lowerBound) { break }
      left.removeFirst()
      guard var scan = scan(index), let times = try? segments[index].granuleTimes else { continue }
      for granule in scan.granules {
        if let times = times[granule], isEnough(before: times.lowerBound) { break }
        collect(granule, of: index, &scan, tellsTies: true, &found)
      }
    }
    summary.skippedSegmentCount += left.count
    return found
  }

  /// The newest `limit` rows.
  private mutating func newestRowsByTime(_ limit: Int) -> RowsByTime {
    var parts: [RowsByTime] = []
    var missing = limit
    var left = segmentsByTime[...]
    while missing > 0, let index = left.popLast() {
      guard var scan = scan(index) else { continue }
      for granule in scan.granules.reversed() where missing > 0 {
        var part = RowsByTime()
        collect(granule, of: index, &scan, newest: missing, tellsTies: false, &part)
        missing -= part.places.count
        parts.append(part)
      }
    }
    summary.skippedSegmentCount += left.count
    var found = RowsByTime()
    for part in parts.reversed() { found.append(part) }
    return found
  }

  /// The numbers of the segments, oldest first.
  private var segmentsByTime: [Int] {
    func start(_ index: Int) -> Int64 { segments[index].timeRange?.lowerBound ?? .min }
    return segments.indices.sorted { start($0) < start($1) }
  }

  /// Adds the rows of a granule that pass, or the last ones of them.
  private mutating func collect(
    _ granule: Int, of index: Int, _ scan: inout SegmentScan, newest limit: Int = .max,
    tellsTies: Bool, _ found: inout RowsByTime
  ) {
    let first = segments[index].rows(ofGranule: granule).lowerBound
    visit(granule, of: index, &scan) { all, reader throws(SegmentError) in
      var rows = all
      if limit < .max { rows.keepLast(limit) }
      let time = tellsTies ? try reader.loadedSlot(of: .time, rows) : nil
      let times = time.map { reader.slots[$0].integers }
      found.append(rows.rows, of: index, from: first, times: times)
    }
  }
}
