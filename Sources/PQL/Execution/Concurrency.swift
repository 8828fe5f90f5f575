internal import SegmentIndex

/// On how many threads a run may be, and what is too little to begin another for.
package struct Concurrency: Sendable {
  package let threadCount: Int
  /// Fewer granules than this are scanned by one.
  package let granuleCount: Int
  /// Fewer rows than this are put together by one.
  package let rowCount: Int

  package init(threadCount: Int, granuleCount: Int, rowCount: Int) {
    self.threadCount = threadCount
    self.granuleCount = granuleCount
    self.rowCount = rowCount
  }

  /// One thread for each processor, where each has more to do than beginning it costs.
  package static let standard = Concurrency(
    threadCount: usableProcessorCount, granuleCount: 24, rowCount: 512)
}
