internal import SegmentIndex

/// Bytes to be found inside others, exactly or whatever the case of ASCII letters.
///
/// The two rarest of them are looked for, at 32 places at once: the loops over blocks of fixed width have no
/// branches and become vector instructions. Where both stand, the whole is compared; if that turns out to be
/// more work than the text is long, a search that never goes back takes over, so that time stays linear.
package struct ByteSearch: Sendable, Hashable {
  /// The bytes, in lower case when case does not matter.
  package let needle: [UInt8]
  /// Whether the case of ASCII letters does not matter.
  package let ignoresCase: Bool
  /// The two bytes that are looked for; the same one twice if there are no two.
  private let probes: (Probe, Probe)

  /// One byte of the needle.
  private struct Probe: Sendable {
    let index: Int
    let byte: UInt8
    /// The bit that tells upper from lower case, if it is to be set before comparing.
    let caseBit: UInt8
  }

  /// A search for `bytes`.
  package init(_ bytes: [UInt8], ignoringCase: Bool = false) {
    let needle = ignoringCase ? bytes.map(\.lowercasedASCII) : bytes
    self.needle = needle
    ignoresCase = ignoringCase
    let rarest = needle.indices.sorted { needle[$0].frequency < needle[$1].frequency }.prefix(2)
    let chosen = rarest.sorted().map {
      Probe(
        index: $0, byte: needle[$0],
        caseBit: ignoringCase && needle[$0].isLowercaseASCII ? 0x20 : 0)
    }
    let none = Probe(index: 0, byte: 0, caseBit: 0)
    probes = (chosen.first ?? none, chosen.last ?? none)
  }

  package static func == (left: ByteSearch, right: ByteSearch) -> Bool {
    left.needle == right.needle && left.ignoresCase == right.ignoresCase
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(needle)
    hasher.combine(ignoresCase)
  }

  // MARK: Searching

  /// Whether the bytes are in `text`.
  package func isFound(in text: Span<UInt8>) -> Bool {
    firstIndex(in: text) != nil
  }

  /// Where in `text` the bytes stand first, at `start` or after it; nil if they do not. Allocates nothing,
  /// unless long near misses follow one another.
  ///
  /// Many texts that lie one after another are searched fastest as one.
  package func firstIndex(in text: Span<UInt8>, from start: Int = 0) -> Int? {
    guard !needle.isEmpty else { return start <= text.count ? start : nil }
    // Where the needle can begin.
    let end = text.count - needle.count + 1
    var at = start
    var work = 0
    while at < end {
      let width = min(32, end - at)
      if mayBegin(in: text, at: at, end: end, start: start),
        let index = index(in: text, at..<at + width, &work)
      {
        return index
      }
      at += width
      if work > 8 * text.count { return firstIndexWithoutReturn(in: text, from: at) }
    }
    return nil
  }

  /// Whether the needle can begin at one of the next places, as far as the probes know.
  @inline(__always)
  private func mayBegin(in text: Span<UInt8>, at place: Int, end: Int, start: Int) -> Bool {
    if end - place >= 32 { return mayBegin(in: text, at: place, width: 32) }
    // Fewer are done together with places that were looked at before, if there are enough.
    if end - start >= 32 { return mayBegin(in: text, at: end - 32, width: 32) }
    var at = place
    while end - at >= 8 {
      if mayBegin(in: text, at: at, width: 8) { return true }
      at += 8
    }
    return at < end
  }

  /// Whether both probes stand right for one of `width` places.
  @inline(__always)
  private func mayBegin(in text: Span<UInt8>, at place: Int, width: Int) -> Bool {
    let (first, second) = probes
    let firsts = text.extracting(place + first.index..<place + first.index + width)
    let seconds = text.extracting(place + second.index..<place + second.index + width)
    var least = UInt8.max
    for index in 0..<width {
      let difference =
        ((firsts[index] | first.caseBit) ^ first.byte)
        | ((seconds[index] | second.caseBit) ^ second.byte)
      least = min(least, difference)
    }
    return least == 0
  }

  /// Where the needle stands first, beginning at one of the places. Adds the bytes compared to `work`.
  private func index(
    in text: Span<UInt8>, _ places: Range<Int>, _ work: inout Int
  ) -> Int? {
    let (first, needle) = (probes.0, self.needle.span)
    for place in places where text[place + first.index] | first.caseBit == first.byte {
      var count = 0
      while count < needle.count {
        let byte = text[place + count]
        guard (ignoresCase ? byte.lowercasedASCII : byte) == needle[count] else { break }
        count += 1
      }
      if count == needle.count { return place }
      work += count
    }
    return nil
  }

  /// The search of Knuth, Morris and Pratt.
  private func firstIndexWithoutReturn(in text: Span<UInt8>, from start: Int) -> Int? {
    let borders = borders
    var matched = 0
    for at in start..<text.count {
      let byte = ignoresCase ? text[at].lowercasedASCII : text[at]
      while matched > 0, needle[matched] != byte { matched = borders[matched - 1] }
      if needle[matched] == byte { matched += 1 }
      if matched == needle.count { return at + 1 - matched }
    }
    return nil
  }

  /// For each beginning of the needle, how long the longest shorter one is that it ends with.
  private var borders: [Int] {
    var borders = [0]
    borders.reserveCapacity(needle.count)
    for at in 1..<needle.count {
      var count = borders[at - 1]
      while count > 0, needle[count] != needle[at] { count = borders[count - 1] }
      borders.append(needle[count] == needle[at] ? count + 1 : 0)
    }
    return borders
  }
}

extension UInt8 {
  var isLowercaseASCII: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }

  /// How common the byte is in logs, roughly: 0 for those that are not in the list. A wrong guess costs
  /// time and nothing else.
  fileprivate var frequency: Int {
    Self.common.firstIndex(of: self).map { Self.common.count - $0 } ?? 0
  }

  /// From the most common on.
  private static let common = Array(" etaoinsrldcu0h1mp2fg345b6789w.yv/k-_:x=,\"qjz[]()".utf8)
}
