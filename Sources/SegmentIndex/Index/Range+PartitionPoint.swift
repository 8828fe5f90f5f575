extension Range<Int> {
  /// The first index for which `isBefore` is false, or the end: found by halving, for a condition that is false for all
  /// indices behind one for which it is.
  @inlinable @inline(__always)
  package func partitionPoint(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
