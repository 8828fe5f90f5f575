extension Array {
  /// Makes room for further elements, and for a quarter more than there are: by itself an array takes twice what it has,
  /// which is much where there are many arrays, or large ones.
  mutating func reserveRoom(for addedCount: Int) {
    guard count + addedCount > capacity else { return }
    reserveCapacity(count + Swift.max(addedCount, 4, count / 4))
  }
}
