package import JournalKit

/// The block format of LZ4: a sequence of literals and of copies from up to 64 KiB before.
///
/// A sequence is a token (high half: literal count, low half: match length minus 4; 15 means that bytes
/// to be added follow, up to and including the first that is not 255), the literals, and two bytes of
/// distance. The last sequence ends after its literals; it has at least the last five bytes, and no match
/// begins within the last twelve.
///
/// The compressor is greedy: it takes the last place at which the same four bytes stood.
package enum LZ4 {
  /// The most bytes that one compressed byte can stand for.
  package static let maximumRatio = 255

  private static let minimumMatch = 4
  private static let lastLiterals = 5
  private static let lastMatchStart = 12
  private static let hashBits = 13

  /// Appends `source`, compressed, to `writer`. Never fails; incompressible bytes grow by 0.4 %.
  package static func compress(_ source: RawSpan, into writer: inout ByteWriter) {
    let count = source.byteCount
    var table = [Int32](repeating: -1, count: 1 << hashBits)
    var anchor = 0
    var at = 0
    let limit = min(count, Int(Int32.max)) - lastMatchStart
    // After each 64 failures in a row the step grows by one, to get over incompressible stretches.
    var failures = 1 << 6
    while at <= limit {
      let word = source.littleEndian(UInt32.self, at: at)
      let slot = Int((word &* 2_654_435_761) >> UInt32(32 - hashBits))
      let candidate = Int(table[slot])
      table[slot] = Int32(truncatingIfNeeded: at)
      guard candidate >= 0, at - candidate <= 0xffff,
        source.littleEndian(UInt32.self, at: candidate) == word
      else {
        at += failures >> 6
        failures += 1
        continue
      }
      failures = 1 << 6
      var start = at
      var match = candidate
      while start > anchor, match > 0, source[start - 1] == source[match - 1] {
        start -= 1
        match -= 1
      }
      let end = matchEnd(source, from: at + minimumMatch, with: candidate + minimumMatch)
      writer.sequence(
        literals: source.extracting(anchor..<start), matchLength: end - start - minimumMatch,
        distance: start - match)
      at = end
      anchor = end
    }
    writer.sequence(literals: source.extracting(anchor..<count), matchLength: nil, distance: 0)
  }

  /// How far the bytes from `start` on equal those from `other` on, short of the last literals.
  private static func matchEnd(_ source: RawSpan, from start: Int, with other: Int) -> Int {
    let limit = source.byteCount - lastLiterals
    var at = start
    var match = other
    while at <= limit - 8 {
      let difference =
        source.littleEndian(UInt64.self, at: at) ^ source.littleEndian(UInt64.self, at: match)
      if difference != 0 { return at + difference.trailingZeroBitCount / 8 }
      at += 8
      match += 8
    }
    while at < limit, source[at] == source[match] {
      at += 1
      match += 1
    }
    return at
  }

  /// Decompresses `source` over the `count` bytes of `target` from `offset` on, which must be there.
  /// False when the bytes are not a block of exactly that size; whatever they are, nothing outside the
  /// range is written.
  package static func decompress(
    _ source: RawSpan, into target: inout [UInt8], at offset: Int, count: Int
  ) -> Bool {
    let end = offset + count
    var output = offset
    var input = 0
    while input < source.byteCount {
      let token = source[input]
      input += 1
      guard let literals = length(Int(token >> 4), source, &input),
        literals <= source.byteCount - input, literals <= end - output
      else { return false }
      target.overwrite(at: output, with: source.extracting(input..<input + literals))
      input += literals
      output += literals
      if input == source.byteCount { return output == end }

      guard input <= source.byteCount - 2 else { return false }
      let distance = Int(source.littleEndian(UInt16.self, at: input))
      input += 2
      guard distance > 0, distance <= output - offset,
        let extra = length(Int(token & 15), source, &input),
        extra <= end - output - minimumMatch
      else { return false }
      target.repeat(distance: distance, at: output, count: extra + minimumMatch)
      output += extra + minimumMatch
    }
    return false
  }

  /// The length that begins with half a token; nil when its bytes run out.
  @inline(__always)
  private static func length(_ half: Int, _ source: RawSpan, _ input: inout Int) -> Int? {
    guard half == 15 else { return half }
    var length = half
    while input < source.byteCount {
      let byte = source[input]
      input += 1
      length += Int(byte)
      if byte < 255 { return length }
    }
    return nil
  }
}

extension ByteWriter {
  /// One sequence; `matchLength` is what the format stores, four less than the true one, and nil in the
  /// last sequence.
  fileprivate mutating func sequence(literals: RawSpan, matchLength: Int?, distance: Int) {
    let count = literals.byteCount
    byte(UInt8(min(count, 15) << 4 | min(matchLength ?? 0, 15)))
    if count >= 15 { lengthBytes(count - 15) }
    append(literals)
    guard let matchLength else { return }
    integer(UInt16(distance))
    if matchLength >= 15 { lengthBytes(matchLength - 15) }
  }

  private mutating func lengthBytes(_ length: Int) {
    var rest = length
    while rest >= 255 {
      byte(255)
      rest -= 255
    }
    byte(UInt8(rest))
  }
}
