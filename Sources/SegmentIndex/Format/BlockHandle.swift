internal import JournalKit

/// Where a block lies and what its bytes must check to: `u64 offset, u32 length, u32 CRC-32C`.
struct BlockHandle: Equatable, Sendable {
  let offset: Int
  let length: Int
  let checksum: UInt32

  var range: Range<Int> { offset..<offset + length }

  init(offset: Int, length: Int, checksum: UInt32) {
    self.offset = offset
    self.length = length
    self.checksum = checksum
  }

  /// No block.
  static let none = BlockHandle(offset: 0, length: 0, checksum: 0)

  /// Reads a handle; nil when the bytes run out or the block would not lie in a file of this length.
  init?(_ reader: inout ByteReader, fileLength: Int) {
    guard let offset = reader.integer(UInt64.self), let length = reader.integer(UInt32.self),
      let checksum = reader.integer(UInt32.self),
      offset <= UInt64(fileLength), UInt64(length) <= UInt64(fileLength) - offset
    else { return nil }
    self.init(offset: Int(offset), length: Int(length), checksum: checksum)
  }
}

extension ByteWriter {
  mutating func blockHandle(_ handle: BlockHandle) {
    integer(UInt64(handle.offset))
    integer(UInt32(handle.length))
    integer(handle.checksum)
  }

  /// Writes a block: aligned, with whatever `write` appends.
  mutating func block(_ write: (inout ByteWriter) -> Void) -> BlockHandle {
    pad(to: SegmentFormat.alignment)
    let offset = bytes.count
    write(&self)
    let content = bytes.rawSpan.extracting(offset..<bytes.count)
    return BlockHandle(
      offset: offset, length: content.byteCount, checksum: CRC32C.checksum(content))
  }
}
