internal import SegmentIndex

/// On how many threads a run may be, what is too little to begin another for, and what too much to look for one by one.
package struct Concurrency: Sendable {
  package var threadCount: Int { fixedThreadCount ?? usableProcessorCount }
  /// Nil for one thread for each processor: a run that is soon done need not ask how many there are.
  private let fixedThreadCount: Int?
  /// Fewer granules than this are scanned by one.
  package let granuleCount: Int
  /// Fewer rows than this are put together by one.
  package let rowCount: Int
  /// With a limit of so many rows the search does not stop early.
  package let soughtAtOnce: Int

  package init(threadCount: Int?, granuleCount: Int, rowCount: Int, soughtAtOnce: Int = 65_536) {
    fixedThreadCount = threadCount
    self.granuleCount = granuleCount
    self.rowCount = rowCount
    self.soughtAtOnce = soughtAtOnce
  }

  /// One thread for each processor, where each has more to do than beginning it costs.
  package static let standard = Concurrency(
    threadCount: nil, granuleCount: 24, rowCount: 512)
}
