internal import SegmentIndex

/// Hands out the granules of all segments, those with the newest records first. A segment is opened only
/// when its own newest record comes up.
struct GranuleQueue {
  enum Element {
    /// A segment to be opened, which makes its granules elements.
    case segment(Int)
    case granule(Executor.GranuleNumber)
  }

  /// The opened segments.
  var scans: [Int: SegmentScan] = [:]
  /// By newest record, the newest last.
  private var unopened: [(segment: Int, newest: Int64)]
  private var granules: [(number: Executor.GranuleNumber, newest: Int64)] = []

  init(_ segments: [Segment]) {
    unopened = segments.enumerated().compactMap { index, segment in
      segment.timeRange.map { (index, $0.upperBound) }
    }
    unopened.sort { $0.newest < $1.newest }
  }

  /// How many segments were never reached.
  var unopenedCount: Int { unopened.count }

  /// Takes the next element, with the time of its newest record.
  mutating func next() -> (Element, newest: Int64)? {
    if let segment = unopened.last, segment.newest >= granules.last?.newest ?? .min {
      unopened.removeLast()
      return (.segment(segment.segment), segment.newest)
    }
    return granules.popLast().map { (.granule($0.number), $0.newest) }
  }

  /// Adds the granules of a segment.
  mutating func open(_ index: Int, _ scan: SegmentScan) {
    scans[index] = scan
    // The bounds were read when the scan was made, so they can be read.
    guard let times = try? scan.segment.granuleTimes else { return }
    for granule in scan.granules {
      guard let bounds = times[granule] else { continue }
      granules.append((Executor.GranuleNumber(segment: index, granule: granule), bounds.upperBound))
    }
    granules.sort { $0.newest < $1.newest }
  }
}
