internal import JournalKit

/// Gives each distinct sequence of bytes a number, in the order of first appearance.
///
/// An open-addressing table over one array of bytes: nothing is allocated for each entry. The hash is
/// seeded at random, so that nobody can choose texts that collide; no result depends on it.
package struct TermInterner {
  private var bytes: [UInt8] = []
  /// Where each entry ends in `bytes`.
  private var ends: [Int] = []
  /// The hash in the upper half and the entry's number plus one in the lower, at the first free place from the hash on;
  /// the count is a power of two.
  private var slots: [UInt64] = []
  private let seed = UInt64.random(in: .min ... .max)

  package init() {}

  package var count: Int { ends.count }

  /// The bytes that this holds in memory.
  var byteCount: Int { bytes.count + (ends.count + slots.count) * 8 }

  /// The bytes of entry `number`.
  package subscript(number: UInt32) -> RawSpan {
    @_lifetime(borrow self)
    get { bytes.rawSpan.extracting(range(of: Int(number))) }
  }

  private func range(of entry: Int) -> Range<Int> {
    (entry == 0 ? 0 : ends[entry - 1])..<ends[entry]
  }

  /// The number of `key`, which becomes an entry if it is none.
  package mutating func intern(_ key: RawSpan) -> UInt32 {
    if (ends.count + 1) * 4 > slots.count * 3 { grow() }
    let hash = key.hash(seed: seed) | UInt64(UInt32.max)
    let mask = slots.count - 1
    var slot = Int(hash >> 32) & mask
    while slots[slot] != 0 {
      let entry = Int(slots[slot] & UInt64(UInt32.max)) - 1
      if slots[slot] | UInt64(UInt32.max) == hash,
        bytes.rawSpan.extracting(range(of: entry)).equals(key)
      {
        return UInt32(entry)
      }
      slot = (slot + 1) & mask
    }
    let entry = UInt32(ends.count)
    slots[slot] = hash & ~UInt64(UInt32.max) | UInt64(entry + 1)
    bytes.append(key)
    ends.append(bytes.count)
    return entry
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: max(8, old.count * 2))
    let mask = slots.count - 1
    for word in old where word != 0 {
      var slot = Int(word >> 32) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = word
    }
  }

  /// The entries' numbers in ascending order of their bytes.
  package func sorted() -> [UInt32] {
    let all = bytes.rawSpan
    // Nearly every comparison is decided by the first eight bytes after what all entries share.
    let shared = sharedPrefixCount
    var keys: [(prefix: UInt64, entry: UInt32)] = ends.indices.map { entry in
      let range = range(of: entry)
      return (all.prefix(of: range, from: shared), UInt32(entry))
    }
    keys.sort { left, right in
      if left.prefix != right.prefix { return left.prefix < right.prefix }
      return bytes.rawSpan.extracting(range(of: Int(left.entry)))
        .precedes(bytes.rawSpan.extracting(range(of: Int(right.entry))))
    }
    return keys.map(\.entry)
  }

  /// How many first bytes all entries have in common.
  private var sharedPrefixCount: Int {
    guard let end = ends.first else { return 0 }
    var shared = end
    for entry in ends.indices.dropFirst() {
      let range = range(of: entry)
      shared = min(shared, range.count)
      var at = 0
      while at < shared, bytes[at] == bytes[range.lowerBound + at] { at += 1 }
      shared = at
    }
    return shared
  }
}

extension RawSpan {
  /// The eight bytes from `skipped` on of `range` as a number that orders as they do; zeros stand for
  /// bytes beyond the end.
  fileprivate func prefix(of range: Range<Int>, from skipped: Int) -> UInt64 {
    let start = range.lowerBound + skipped
    var value: UInt64 = 0
    for at in start..<start + 8 {
      value = value << 8 | (at < range.upperBound ? UInt64(self[at]) : 0)
    }
    return value
  }
}
