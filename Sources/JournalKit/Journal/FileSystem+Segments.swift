extension FileSystem {
  /// The numbers of the segments in the journal's `directory`, in ascending order.
  ///
  /// A listing is no picture of one moment: of the files that a writer begins meanwhile it may have the newer one and
  /// lack the older one, whose entries would seem lost. But numbers only grow. So a second listing has every file
  /// below the highest of the first, unless it is gone.
  func segmentNumbers(in directory: String) throws(DiskError) -> [UInt64] {
    let numbers = try list(directory).compactMap(JournalFormat.segmentNumber(ofFile:))
    // From 1 on, without a break: nothing can be lacking.
    guard let highest = numbers.last, highest != UInt64(numbers.count) else { return numbers }
    let again = try list(directory).compactMap(JournalFormat.segmentNumber(ofFile:))
    return Set(numbers).union(again.filter { $0 < highest }).sorted()
  }
}
