/// The times that a query searched and that could be read, for `rate`.
struct Coverage {
  /// From the first to the last record of the store, as far as the query's bounds allow.
  let searched: ClosedRange<Int64>?
  /// Times that are missing some records; they overlap.
  let gaps: [ClosedRange<Int64>]

  init(_ searched: ClosedRange<Int64>?, _ gaps: [QuerySummary.Gap] = []) {
    self.searched = searched
    self.gaps = gaps.compactMap(\.timeRange).sorted { $0.lowerBound < $1.lowerBound }
  }

  /// The seconds that were covered within `bin`, or altogether.
  func seconds(in bin: Range<Int64>?) -> Double {
    guard let searched else { return 0 }
    let lower = max(searched.lowerBound, bin?.lowerBound ?? .min)
    let upper = min(searched.upperBound, bin?.upperBound ?? .max)
    guard lower < upper else { return 0 }
    // Differences of ordered bounds fit 64 bits without a sign.
    var covered = UInt64(bitPattern: upper &- lower)
    var at = lower
    for gap in gaps where gap.upperBound > at && gap.lowerBound < upper {
      let start = max(gap.lowerBound, at)
      let end = min(gap.upperBound, upper)
      covered -= UInt64(bitPattern: end &- start)
      at = end
    }
    return Double(covered) / Double(nanosecondsPerSecond)
  }
}
