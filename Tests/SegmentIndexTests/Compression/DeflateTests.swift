import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct DeflateTests {
  static func decompressed(_ bytes: [UInt8], count: Int) -> [UInt8]? {
    var target: [UInt8] = [9, 9, 9]
    guard Deflate.decompress(bytes.rawSpan, appendingTo: &target, count: count) else { return nil }
    #expect(target.prefix(3) == [9, 9, 9])
    return Array(target.dropFirst(3))
  }

  static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Twelve lines, as zlib 1.3 compresses them: stored, with the fixed codes, and with codes of their own.
  @Test(arguments: [
    """
    015901a6fe6c696e652030206f662061206c6f672c206c6576656c20696e666f0a6c696e652031206f6620\
    61206c6f672c206c6576656c2064656275670a6c696e652032206f662061206c6f672c206c6576656c2069\
    6e666f0a6c696e652033206f662061206c6f672c206c6576656c206572726f720a6c696e652034206f6620\
    61206c6f672c206c6576656c20696e666f0a6c696e652035206f662061206c6f672c206c6576656c206572\
    726f720a6c696e652036206f662061206c6f672c206c6576656c206572726f720a6c696e652037206f6620\
    61206c6f672c206c6576656c206572726f720a6c696e652038206f662061206c6f672c206c6576656c2064\
    656275670a6c696e652039206f662061206c6f672c206c6576656c206572726f720a6c696e65203130206f\
    662061206c6f672c206c6576656c20696e666f0a6c696e65203131206f662061206c6f672c206c6576656c\
    20696e666f0a
    """,
    """
    cbc9cc4b553050c84f534854c8c94fd751c8492d4bcd51c8cc4bcbe7ca01c91962c8a5a42695a643248df0\
    6834c6904b2d2aca2f82489ae0d1688a4fa3193e49737c9216f83c62894fa721def031c42e0900
    """,
    """
    cbc9cc4b553050c84f534854c8c94fd751c8492d4bcd51c8cc4bcbe7ca01c91962c8a5a42695a643248df0\
    6834c6904b2d2aca2f82489ae0d1688a4fa3193e49737c9216f83c62894fa721def031c42e0900
    """,
  ])
  func readsWhatOthersWrite(hexadecimal: String) {
    let words = "info debug info error info error error error debug error info info".split(
      separator: " ")
    let text = words.enumerated().map { "line \($0) of a log, level \($1)\n" }.joined()
    #expect(Self.decompressed(Self.bytes(hexadecimal), count: text.utf8.count) == Array(text.utf8))
  }

  @Test(arguments: 0..<40) func readsBackWhatItWrites(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let count = [0, 1, 2, 3, 10, 300, 5_000, 70_000][Int(seed % 8)]
    var bytes: [UInt8] = []
    let letters = UInt8.random(in: 1...255, using: &random)
    while bytes.count < count {
      if bytes.count > 4, Int.random(in: 0..<8, using: &random) == 0 {
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let run = Int.random(in: 1...600, using: &random)
        for index in 0..<run { bytes.append(bytes[start + index % (bytes.count - start)]) }
      } else {
        bytes.append(UInt8.random(in: 0...letters, using: &random))
      }
    }
    bytes.removeLast(bytes.count - count)
    let packed = Deflate.compress(bytes.rawSpan)
    #expect(Self.decompressed(packed, count: count) == bytes, "\(random)")
    #expect(Self.decompressed(packed, count: count + 1) == nil, "\(random)")
    if count > 0 { #expect(Self.decompressed(packed, count: count - 1) == nil, "\(random)") }
    #expect(Self.decompressed(packed + [0], count: count) == nil, "\(random)")
    #expect(Self.decompressed(packed.dropLast(), count: count) == nil, "\(random)")
  }

  @Test func extremesOfMatchesAndCodes() {
    // A single symbol, the longest match, the greatest distance, and counts that want codes of over fifteen bits.
    var samples: [[UInt8]] = [[UInt8](repeating: 7, count: 1_000)]
    var random = SeededRandom(seed: 9)
    let noise = (0..<32_768).map { _ in UInt8.random(in: 0...255, using: &random) }
    samples.append(noise + noise.prefix(300))
    var fibonacci: [UInt8] = []
    var (first, second) = (1, 1)
    for symbol in UInt8(0)..<22 {
      fibonacci += [UInt8](repeating: symbol, count: min(first, 20_000))
      (first, second) = (second, first + second)
    }
    fibonacci.shuffle(using: &random)
    samples.append(fibonacci)
    for bytes in samples {
      let packed = Deflate.compress(bytes.rawSpan)
      #expect(Self.decompressed(packed, count: bytes.count) == bytes)
    }
    let farAway = samples[1]
    let packed = Deflate.compress(farAway.rawSpan)
    #expect(packed.count < 33_100)
  }

  @Test(arguments: 0..<4) func damagedBytesNeverTrap(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let text = (0..<200).map { "line \($0) of a log, \($0 * 7919)\n" }.joined()
    let packed = Deflate.compress(Array(text.utf8).rawSpan)
    for _ in 0..<400 {
      var damaged = packed
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let bit = Int.random(in: 0..<damaged.count * 8, using: &random)
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      }
      _ = Self.decompressed(damaged, count: text.utf8.count)
      _ = Self.decompressed(
        Array(damaged.prefix(Int.random(in: 0..<damaged.count, using: &random))), count: 50)
    }
  }
}
