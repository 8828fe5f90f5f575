internal import SegmentIndex

// Segments are told apart by time, but for a few records that came late.

extension Executor {
  /// The times that may be those of records in several segments. Each time that is not among them is in one segment at
  /// most, and before all of those that begin later.
  var overlaps: [ClosedRange<Int64>] {
    let ranges = segments.compactMap(\.timeRange).sorted { $0.lowerBound < $1.lowerBound }
    var overlaps: [ClosedRange<Int64>] = []
    var end = ranges.first?.upperBound ?? 0
    for range in ranges.dropFirst() {
      if range.lowerBound <= end { overlaps.append(range.lowerBound...end) }
      end = max(end, range.upperBound)
    }
    return overlaps
  }

  /// Whether few granules have times that overlap: then it pays to bring only their rows into order, of the others nothing
  /// need be read for that.
  func areRare(_ overlaps: [ClosedRange<Int64>]) -> Bool {
    var count = 0
    var all = 0
    for segment in segments {
      all += segment.granuleCount
      guard let range = segment.timeRange else { continue }
      // They ascend, as their ends do.
      let overlaps = overlaps.drop { $0.upperBound < range.lowerBound }
        .prefix { $0.lowerBound <= range.upperBound }
      guard !overlaps.isEmpty, let times = try? segment.granuleTimes else { continue }
      count += times.count { times in times.map { overlaps.contains(where: $0.overlaps) } ?? false }
    }
    return count <= max(4, all / 4)
  }

  /// Puts rows that stand segment after segment, by their first records, into the order of time. False when some could
  /// not be read, which is noted as damage, and when those of one overlap take more memory than there is.
  mutating func sortOverlaps(_ overlaps: [ClosedRange<Int64>], _ found: inout RowsByTime) -> Bool {
    var indices: [Int] = []
    var rows: [FoundRow] = []
    var start = 0
    while start < found.places.count {
      let (segment, first) = (found.places[start].segment, found.places[start].row)
      let granule = first / Segment.granuleRowCount
      let end =
        found.places[start...].firstIndex {
          $0.segment != segment || $0.row / Segment.granuleRowCount != granule
        } ?? found.places.count
      defer { start = end }
      do throws(SegmentError) {
        let times = try segments[segment].timeBounds(ofGranule: granule)
        guard overlaps.contains(where: times.overlaps) else {
          // These stand where they belong: all before them are older, and all behind them newer.
          found.sort(indices, rows)
          indices.removeAll()
          rows.removeAll()
          continue
        }
        try append(found.places[start..<end], ofGranule: granule, to: &rows)
        indices += start..<end
      } catch {
        damaged.insert(GranuleNumber(segment: segment, granule: granule))
        return false
      }
      guard budget.allows() else { return true }
      let byteCount = rows.count * MemoryLayout<FoundRow>.stride * 3 / 2
      guard byteCount <= budget.freeByteCount else { return false }
    }
    found.sort(indices, rows)
    return true
  }

  /// Appends rows of a granule with their positions.
  private func append(
    _ places: some Collection<RowPlace>, ofGranule granule: Int, to found: inout [FoundRow]
  ) throws(SegmentError) {
    guard let index = places.first?.segment else { return }
    let segment = segments[index]
    let all = segment.rows(ofGranule: granule)
    var rows = RowBits(count: all.count, all: false)
    for place in places { rows.insert(place.row - all.lowerBound) }
    var reader = GranuleReader(segment, sessions)
    reader.move(to: granule)
    let slots = (
      time: try reader.loadedSlot(of: .time, rows),
      session: try reader.loadedSlot(of: .session, rows),
      sequence: try reader.loadedSlot(of: .sequence, rows)
    )
    for row in rows {
      reader.row = row
      found.append(
        FoundRow(
          place: RowPlace(segment: index, row: all.lowerBound + row),
          position: reader.position(slots)))
    }
  }
}
