internal import SegmentIndex

/// One segment of a run: its filter, and the granules that can hold rows that pass.
struct SegmentScan {
  let segment: Segment
  let filter: SegmentFilter
  var reader: GranuleReader
  /// Ascending.
  let granules: [Int]

  /// Makes the condition ready for `segment` and leaves out what it rules out by bounds of time and by
  /// posting lists; nil when that is everything.
  init?(
    _ segment: Segment, _ condition: Condition, _ sessions: SessionTable
  ) throws(SegmentError) {
    let bounds = condition.timeBounds
    guard let times = segment.timeRange, bounds.overlaps(times) else { return nil }
    var reader = GranuleReader(segment, sessions)
    let filter = try SegmentFilter(condition, &reader)
    var granules = RowBits(count: segment.granuleCount, all: false)
    for (granule, times) in try segment.granuleTimes.enumerated() {
      // Every record has a time, so this throws where there is none.
      guard let times else {
        _ = try segment.timeBounds(ofGranule: granule)
        continue
      }
      if bounds.overlaps(times) { granules.insert(granule) }
    }
    for part in filter.conjuncts {
      // Lists that cannot be read rule nothing out.
      guard let possible = (try? part.possibleGranules(reader)) ?? nil else { continue }
      granules.formIntersection(possible.words)
    }
    guard !granules.isEmpty else { return nil }
    self.segment = segment
    self.filter = filter
    self.reader = reader
    self.granules = granules.rows
  }

  /// The rows of a granule that pass.
  mutating func matches(in granule: Int) throws(SegmentError) -> RowBits {
    var rows = RowBits(count: segment.rows(ofGranule: granule).count, all: true)
    reader.move(to: granule)
    try filter.narrow(&rows, &reader)
    return rows
  }
}

extension SegmentFilter {
  /// The parts that all must pass.
  fileprivate var conjuncts: [SegmentFilter] {
    if case .and(let parts) = self { parts } else { [self] }
  }

  /// The granules in which some row can pass, one bit each; nil when that is not known without reading them.
  fileprivate func possibleGranules(_ reader: GranuleReader) throws(SegmentError) -> RowBits? {
    var granules = RowBits(count: reader.segment.granuleCount, all: false)
    switch self {
    case .always(false): break
    case .codes(let slot, let set):
      // Past a few terms the lists cost more than they save.
      guard case .terms(let column) = reader.slots[slot].source,
        let codes = set.codes(atMost: 16)
      else { return nil }
      for code in codes {
        for granule in try column.granules(ofTerm: code - 1) { granules.insert(granule) }
      }
    case .message(let slot, _, let patterns):
      guard case .message(let column) = reader.slots[slot].source,
        let codes = patterns.possibleCodes
      else { return nil }
      for code in codes {
        for granule in try column.granules(ofPattern: code) { granules.insert(granule) }
      }
    case .or(let parts):
      for part in parts {
        guard let possible = try part.possibleGranules(reader) else { return nil }
        granules.formUnion(possible)
      }
    default: return nil
    }
    return granules
  }
}
