internal import SegmentIndex

/// Hands out the granules of all segments, those with the newest records first, or those with the oldest. A segment is
/// opened only when the first of its own records comes up.
struct GranuleQueue {
  enum Element {
    /// A segment to be opened, which makes its granules elements.
    case segment(Int)
    case granule(Executor.GranuleNumber)
  }

  /// The opened segments.
  var scans = Scans()
  /// By the place of their first record, the first last.
  private var unopened: [(segment: Int, place: Int64)]
  private var granules: [(number: Executor.GranuleNumber, place: Int64)] = []
  private let isOldestFirst: Bool

  init(_ segments: [Segment], oldestFirst: Bool = false) {
    isOldestFirst = oldestFirst
    unopened = []
    for (index, segment) in segments.enumerated() {
      if let times = segment.timeRange { unopened.append((index, place(ofFirst: times))) }
    }
    unopened.sort { $0.place < $1.place }
  }

  /// What is greater the earlier a record of this time comes.
  func place(of time: Int64) -> Int64 { isOldestFirst ? ~time : time }

  /// The place of the record that comes first of these times.
  private func place(ofFirst times: ClosedRange<Int64>) -> Int64 {
    place(of: isOldestFirst ? times.lowerBound : times.upperBound)
  }

  /// How many segments were never reached.
  var unopenedCount: Int { unopened.count }

  /// Takes the next element, with the place of its first record.
  mutating func next() -> (Element, place: Int64)? {
    if let segment = unopened.last, segment.place >= granules.last?.place ?? .min {
      unopened.removeLast()
      return (.segment(segment.segment), segment.place)
    }
    return granules.popLast().map { (.granule($0.number), $0.place) }
  }

  /// Adds the granules of a segment.
  mutating func open(_ index: Int, _ scan: SegmentScan) {
    scans[index] = scan
    // The bounds were read when the scan was made, so they can be read.
    guard let times = try? scan.segment.granuleTimes else { return }
    for granule in scan.granules {
      guard let bounds = times[granule] else { continue }
      let number = Executor.GranuleNumber(segment: index, granule: granule)
      granules.append((number, place(ofFirst: bounds)))
    }
    granules.sort { $0.place < $1.place }
  }
}
