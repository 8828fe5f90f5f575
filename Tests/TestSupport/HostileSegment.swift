import JournalKit
import SegmentIndex

/// A segment whose bytes are changed while its checksums are made to fit again: what only an adversary, or
/// a bug in a writer, produces.
package struct HostileSegment {
  package private(set) var bytes: [UInt8]
  private let blocks: [Range<Int>]

  package init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    blocks = try Segment(bytes: bytes, name: "original").blocks().filter { !$0.isEmpty }
  }

  /// Changes a few bytes of a few blocks.
  package mutating func mutate(using random: inout SeededRandom) {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let block = blocks[Int.random(in: 1..<blocks.count, using: &random)]
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        // Heads of blocks say how the rest is to be understood.
        let window = Bool.random(using: &random) ? block.prefix(20) : block[...]
        let at = Int.random(in: window.startIndex..<window.endIndex, using: &random)
        let extremes: [UInt8] = [0, 1, 0x7f, 0x80, 0xff]
        let value = extremes[Int.random(in: 0..<extremes.count, using: &random)]
        let isExtreme = Bool.random(using: &random)
        change(at, to: isExtreme ? value : UInt8(truncatingIfNeeded: random.next()), in: block)
      }
    }
  }

  /// Changes the byte at `offset` of a block; both numbers may be anything.
  package mutating func change(_ offset: Int, ofBlock number: Int, to value: UInt8) {
    let block = blocks[number % blocks.count]
    change(block.lowerBound + offset % block.count, to: value, in: block)
  }

  /// Takes the column of this number, which is no tag's, out of the directory, the last block: records then lack the
  /// field. False when there is none.
  package mutating func removeColumn(_ number: UInt8) -> Bool {
    guard let directory = blocks.last, let first = entry(1, in: directory),
      let entry = entry(number, in: directory)
    else { return false }
    // Their number stands before the first.
    bytes[first - 1] -= 1
    bytes.removeSubrange(entry..<entry + 18)
    let rest = directory.lowerBound..<bytes.count
    write(UInt32(bytes.count), at: 32)
    write(UInt32(rest.count), at: 48)
    write(checksum(of: rest), at: 52)
    write(checksum(of: 0..<60), at: 60)
    return true
  }

  /// Where the entry of a column begins: its number, an empty key, and where its block is.
  private func entry(_ number: UInt8, in directory: Range<Int>) -> Int? {
    directory.dropLast(17).first { at in
      guard bytes[at] == number, bytes[at + 1] == 0 else { return false }
      let offset = bytes.rawSpan.littleEndian(UInt64.self, at: at + 2)
      return blocks.contains { UInt64($0.lowerBound) == offset }
    }
  }

  private mutating func change(_ offset: Int, to value: UInt8, in block: Range<Int>) {
    let old = checksum(of: block)
    bytes[offset] = value
    propagate(from: old, to: checksum(of: block), changed: block)
  }

  /// Puts the new checksum where the old one stood, and so on up to the header.
  private mutating func propagate(from old: UInt32, to new: UInt32, changed: Range<Int>) {
    if changed.lowerBound == 0 { return write(checksum(of: 0..<60), at: 60) }
    for parent in blocks where parent != changed {
      guard let place = place(of: old, in: parent) else { continue }
      let oldParent = checksum(of: parent)
      write(new, at: place)
      return propagate(from: oldParent, to: checksum(of: parent), changed: parent)
    }
  }

  private func checksum(of range: Range<Int>) -> UInt32 {
    CRC32C.checksum(bytes.rawSpan.extracting(range))
  }

  private func place(of value: UInt32, in range: Range<Int>) -> Int? {
    let first = UInt8(truncatingIfNeeded: value)
    var at = range.lowerBound
    while at + 4 <= range.upperBound {
      if bytes[at] == first, bytes.rawSpan.littleEndian(UInt32.self, at: at) == value { return at }
      at += 1
    }
    return nil
  }

  private mutating func write(_ value: UInt32, at offset: Int) {
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
    }
  }
}
