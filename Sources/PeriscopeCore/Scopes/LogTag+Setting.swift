import SegmentIndex

extension [LogTag] {
  /// The tag whose key is exactly `key`.
  func index(ofKey key: String) -> Int? {
    firstIndex { $0.key.isIdentical(to: key) }
  }

  /// Appends a tag, or gives the one that already has its key another value.
  mutating func set(_ tag: LogTag) {
    if let index = index(ofKey: tag.key) {
      self[index].value = tag.value
    } else {
      append(tag)
    }
  }
}
