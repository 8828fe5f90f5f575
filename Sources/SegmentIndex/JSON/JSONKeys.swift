internal import JournalKit

/// Some keys that a reader of objects knows, to be found by number.
///
/// Objects of one writer have their keys in one order, written alike. So the key that came behind this one the last time
/// is compared first, with its quotes and its colon, before anything is taken apart.
package struct JSONKeys: Sendable {
  private struct Key {
    let text: String
    let count: Int
    /// The first eight bytes.
    let prefix: UInt64
    /// The key, its quotes and the colon: up to sixteen bytes, and which bits of them count. A longer one is never
    /// compared in this way.
    let member: (UInt64, UInt64)
    let mask: (UInt64, UInt64)
  }

  private static let memberLimit = 16

  private let keys: [Key]
  /// For each key, and first for the beginning, the one that came behind it the last time.
  private var followers: [Int]

  /// These keys, numbered from 0.
  package init(_ names: [String]) {
    keys = names.map { name in
      let bytes = Array(name.utf8)
      let member = Array("\"\(name)\":".utf8)
      let count = min(member.count, Self.memberLimit)
      let padded = member.prefix(count) + repeatElement(0, count: Self.memberLimit - count)
      let words = Array(padded)
      return Key(
        text: name, count: bytes.count, prefix: bytes.rawSpan.prefix(of: 0..<bytes.count),
        member: (words.rawSpan.word(0), words.rawSpan.word(1)),
        mask: (Self.mask(min(count, 8)), Self.mask(max(count - 8, 0))))
    }
    followers = names.indices + [0]
  }

  /// The lowest `count` bytes of a word.
  private static func mask(_ count: Int) -> UInt64 {
    count == 8 ? .max : 1 << UInt64(count * 8) - 1
  }

  /// The number of the key that is expected behind that of number `last`, if it and its colon are the bytes at `start`,
  /// and where the value begins.
  @inline(__always)
  fileprivate func expected(
    after last: Int, at start: Int, in bytes: RawSpan
  ) -> (number: Int, end: Int)? {
    let number = followers[last + 1]
    let key = keys[number]
    let count = key.count + 3
    guard count <= Self.memberLimit, start <= bytes.byteCount - Self.memberLimit,
      bytes.littleEndian(UInt64.self, at: start) & key.mask.0 == key.member.0,
      bytes.littleEndian(UInt64.self, at: start + 8) & key.mask.1 == key.member.1
    else { return nil }
    return (number, start + count)
  }

  /// The number of the key that the bytes at `range`, which are without escapes, are; nil when it is none of these.
  fileprivate mutating func number(
    of range: Range<Int>, in bytes: RawSpan, after last: Int
  ) -> Int? {
    let prefix = bytes.prefix(of: range)
    for (number, key) in keys.enumerated()
    where key.prefix == prefix && key.count == range.count
      && (range.count <= 8 || bytes.extracting(range).equals(key.text))
    {
      followers[last + 1] = number
      return number
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

  /// As `nextKeyRange()`, but finds the key among known ones.
  ///
  /// - Parameter last: the number of the known key that was found last, -1 at the first.
  package mutating func nextKey(
    among keys: inout JSONKeys, after last: Int
  ) throws(JSONError) -> Member? {
    if let start = nextMemberStart,
      let (number, end) = keys.expected(after: last, at: start, in: bytes)
    {
      begin(memberAt: end)
      return .known(number)
    }
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
