internal import SegmentIndex

/// A hash that is fed with words.
protocol ValueHash {
  /// Adds a word; `kind` keeps values of different types apart.
  mutating func add(_ kind: UInt64, _ word: UInt64)
}

extension ValueHash {
  /// Adds a text, which is its bytes: to Swift, others are the same text, and so many that a table would be slow of them.
  mutating func add(_ kind: UInt64, _ text: String) {
    let bytes = text.utf8.span
    var word: UInt64 = 0
    for index in bytes.indices {
      word = word << 8 | UInt64(bytes[index])
      if index % 8 == 7 {
        add(kind, word)
        word = 0
      }
    }
    add(kind, word)
    add(kind, UInt64(bytes.count))
  }
}

extension Hasher: ValueHash {
  mutating func add(_ kind: UInt64, _ word: UInt64) {
    combine(kind)
    combine(word)
  }
}

extension Value {
  /// Feeds what equal values have in common, and no others.
  func feed(_ hash: inout some ValueHash) {
    switch canonical {
    case .bool(let value): hash.add(1, value ? 1 : 0)
    case .int(let value), .size(let value): hash.add(2, UInt64(bitPattern: value))
    case .double(let value): hash.add(3, value.isNaN ? 0 : value.bitPattern)
    case .string(let text): hash.add(4, text)
    case .duration(let value): hash.add(5, UInt64(bitPattern: value))
    case .time(let value): hash.add(6, UInt64(bitPattern: value))
    case .level(let level): hash.add(7, level.name)
    case .uuid(let id):
      hash.add(8, UInt64(truncatingIfNeeded: id.bits))
      hash.add(8, UInt64(truncatingIfNeeded: id.bits >> 64))
    case .json(let text): hash.add(9, text)
    case .list(let values):
      hash.add(10, UInt64(values.count))
      for value in values { value.feed(&hash) }
    }
  }
}
