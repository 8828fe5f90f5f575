import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct LZ4Tests {
  private func compress(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    LZ4.compress(bytes.rawSpan, into: &writer)
    return writer.bytes
  }

  private func decompress(_ bytes: [UInt8], count: Int) -> [UInt8]? {
    // What lies around the target must stay as it is.
    var target = [UInt8](repeating: 0xa5, count: count + 32)
    let isRead = LZ4.decompress(bytes.rawSpan, into: &target, at: 16, count: count)
    let around = target[..<16] + target[(16 + count)...]
    #expect(around.allSatisfy { $0 == 0xa5 }, "bytes outside the target were written")
    return isRead ? Array(target[16..<16 + count]) : nil
  }

  @Test func everyKindOfBytesComesBack() {
    var random = SeededRandom(seed: 1)
    var inputs: [[UInt8]] = (0...40).map { [UInt8](repeating: 7, count: $0) }
    inputs += (0...40).map { random.bytes($0) }
    inputs.append([UInt8](repeating: 0, count: 100_000))
    inputs.append(random.bytes(70_000))
    inputs.append((0..<9000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    // Repetitions at distances around the window's 64 KiB.
    for distance in [65_534, 65_535, 65_536, 65_537] {
      let block = random.bytes(200)
      inputs.append(block + [UInt8](repeating: 1, count: distance - 200) + block)
    }
    for input in inputs {
      let compressed = compress(input)
      #expect(decompress(compressed, count: input.count) == input)
      #expect(compressed.count <= input.count + input.count / 255 + 16)
    }
  }

  @Test func logTextComesBackAndShrinks() {
    for seed in UInt64(0)..<40 {
      var random = SeededRandom(seed: seed)
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        text += "upload \(random.next() % 10_000) completed in \(random.next() % 900) ms".utf8
      }
      let compressed = compress(text)
      #expect(decompress(compressed, count: text.count) == text, "\(random)")
      if text.count > 2000 { #expect(compressed.count < text.count * 2 / 3, "\(random)") }
    }
  }

  @Test func theFormatIsThatOfLZ4() {
    // Literals only; a match of 8 at distance 1; lengths of 15 and more; from the format's description.
    #expect(decompress([0x50] + Array("hello".utf8), count: 5) == Array("hello".utf8))
    let run: [UInt8] = [0x14, 0x61, 1, 0, 0x50] + Array("bcdef".utf8)
    #expect(decompress(run, count: 14) == Array("aaaaaaaaabcdef".utf8))
    let long: [UInt8] = [0x1f, 0x61, 1, 0, 255, 0, 0x50] + Array("bcdef".utf8)
    #expect(decompress(long, count: 1 + 4 + 15 + 255 + 5)?.count == 280)
    #expect(compress([]) == [0])
    #expect(compress(Array("hello".utf8)) == [0x50] + Array("hello".utf8))
  }

  @Test(
    arguments: [
      [], [0x10], [0x50, 0x61], [0xf0], [0xf0, 255, 255],  // cut
      [0x11, 0x61, 0, 0, 0],  // distance 0
      [0x11, 0x61, 2, 0, 0],  // before the beginning
      [0x11, 0x61, 1, 0],  // no last literals
      [0x1f, 0x61, 1, 0, 255, 255, 255, 255], [0x10, 0x61], [0x00],
    ] as [[UInt8]])
  func bytesThatAreNoBlockAreRefused(_ bytes: [UInt8]) {
    #expect(decompress(bytes, count: 20) == nil)
  }

  @Test func damagedBlocksNeverReachOutside() {
    let text = Array(String(repeating: "abcabcabd 17 of 18, ", count: 30).utf8)
    let compressed = compress(text)
    for seed in UInt64(0)..<2000 {
      var random = SeededRandom(seed: seed)
      var damaged = compressed
      damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8(
        truncatingIfNeeded: random.next())
      if Bool.random(using: &random) {
        damaged.removeLast(Int.random(in: 0...damaged.count, using: &random))
      }
      let result = decompress(damaged, count: text.count)
      #expect(result == nil || result?.count == text.count, "\(random)")
    }
  }
}
