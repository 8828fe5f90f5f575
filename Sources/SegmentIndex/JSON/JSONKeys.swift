internal import JournalKit

/// Some keys that a reader of objects knows, to be found by number.
///
/// A key is compared by its first eight bytes and its length at once, beginning with the one behind that which was
/// found last: objects of one writer have their keys in one order.
package struct JSONKeys: Sendable {
  private struct Key {
    let text: String
    let count: Int
    let prefix: UInt64
  }

  private let keys: [Key]

  /// These keys, numbered from 0.
  package init(_ names: [String]) {
    keys = names.map { name in
      let bytes = Array(name.utf8)
      return Key(
        text: name, count: bytes.count, prefix: bytes.rawSpan.prefix(of: 0..<bytes.count))
    }
  }

  /// The number of the key that the bytes at `range`, which are without escapes, are; nil when it is none of these.
  @inline(__always)
  fileprivate func number(of range: Range<Int>, in bytes: RawSpan, after last: Int) -> Int? {
    let prefix = bytes.prefix(of: range)
    var number = last
    for _ in 0..<keys.count {
      number = number + 1 < keys.count ? number + 1 : 0
      if keys[number].prefix == prefix, keys[number].count == range.count,
        range.count <= 8 || bytes.extracting(range).equals(keys[number].text)
      {
        return number
      }
    }
    return nil
  }

  fileprivate func number(of text: String) -> Int? {
    keys.firstIndex { $0.text.utf8.elementsEqual(text.utf8) }
  }
}

extension JSONScanner {
  /// The next key of the innermost object.
  package enum Member {
    /// The known key of this number.
    case known(Int)
    /// Another one: the bytes between its quotes.
    case unknown(Range<Int>)
  }

  /// As `nextKeyRange()`, but finds the key among known ones, beginning behind that of number `last`, or with -1 at the
  /// first.
  package mutating func nextKey(
    among keys: JSONKeys, after last: Int
  ) throws(JSONError) -> Member? {
    guard let range = try nextKeyRange() else { return nil }
    if let number = keys.number(of: range, in: bytes, after: last) { return .known(number) }
    if bytes.extracting(range).firstIndex(of: UInt8(ascii: "\\")) != nil,
      let number = keys.number(of: string(in: range))
    {
      return .known(number)
    }
    return .unknown(range)
  }
}

extension RawSpan {
  /// The first eight bytes at `range`, or those that there are, lowest first.
  @inline(__always)
  fileprivate func prefix(of range: Range<Int>) -> UInt64 {
    if range.lowerBound <= byteCount - 8 {
      let word = littleEndian(UInt64.self, at: range.lowerBound)
      return range.count >= 8 ? word : word & (1 &<< UInt64(range.count * 8) &- 1)
    }
    var word: UInt64 = 0
    for at in range.prefix(8).reversed() { word = word << 8 | UInt64(self[at]) }
    return word
  }
}
