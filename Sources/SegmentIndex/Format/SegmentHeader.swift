internal import JournalKit

/// The first 64 bytes of a segment: what it is and where its directory lies.
///
///     0   u32  magic "PSEG"            32  u64  length of the file
///     4   u16  major version           40  u64  directory: offset
///     6   u16  minor version           48  u32  directory: length
///     8   u32  incompatible flags      52  u32  directory: CRC-32C
///     12  u32  compatible flags        56  u32  length before it was packed; else zero
///     16  u128 identity                60  u32  CRC-32C of the bytes before
///
/// Checksums form a chain: this one covers the directory's, which covers those of the columns, which cover
/// those of the data. So it stands for the whole content.
struct SegmentHeader: Equatable {
  var id: UniqueID
  var length: Int
  var directory: BlockHandle
  /// The length of the segment before it was packed; nil when it is not.
  var unpackedLength: Int?
  /// The checksum of the header itself.
  private(set) var checksum: UInt32 = 0

  init(id: UniqueID, length: Int, directory: BlockHandle) {
    self.id = id
    self.length = length
    self.directory = directory
  }

  /// Reads the header that a file of `fileLength` bytes begins with.
  init(_ bytes: RawSpan, fileLength: Int, name: String) throws(SegmentError) {
    func refuse(_ offset: Int, _ reason: String) -> SegmentError {
      SegmentError(segment: name, offset: offset, reason: reason)
    }
    guard bytes.byteCount >= SegmentFormat.headerByteCount
    else { throw refuse(bytes.byteCount, "the segment is cut off in its header") }
    guard bytes.littleEndian(UInt32.self, at: 0) == SegmentFormat.magic
    else { throw refuse(0, "this is not a segment") }
    checksum = bytes.littleEndian(UInt32.self, at: 60)
    guard checksum == CRC32C.checksum(bytes.extracting(0..<60))
    else { throw refuse(60, "the header fails its checksum") }
    let version = bytes.littleEndian(UInt16.self, at: 4)
    guard version == SegmentFormat.majorVersion
    else { throw refuse(4, "the segment has major version \(version)") }
    let flags = bytes.littleEndian(UInt32.self, at: 8)
    guard flags & ~SegmentFormat.knownIncompatibleFlags == 0
    else { throw refuse(8, "the segment needs a newer reader") }
    guard bytes.littleEndian(UInt64.self, at: 32) == UInt64(fileLength)
    else { throw refuse(32, "the segment does not have the length that it says") }
    id = UniqueID(bits: bytes.littleEndian(UInt128.self, at: 16))
    length = fileLength
    if flags & SegmentFormat.packedFlag != 0 {
      let unpacked = Int(bytes.littleEndian(UInt32.self, at: 56))
      let content = length - SegmentFormat.headerByteCount
      guard unpacked >= SegmentFormat.headerByteCount,
        unpacked <= SegmentFormat.maximumPackedByteCount,
        unpacked - SegmentFormat.headerByteCount <= content * Deflate.maximumRatio
      else { throw refuse(56, "the packed segment is too long") }
      // There is no end to how many bytes can stand for few.
      guard length < unpacked else { throw refuse(56, "the packing makes the segment longer") }
      unpackedLength = unpacked
    }
    var reader = ByteReader(bytes.extracting(40..<56))
    guard let directory = BlockHandle(&reader, fileLength: unpackedLength ?? length)
    else { throw refuse(40, "the directory lies outside the segment") }
    self.directory = directory
  }

  /// The header's 64 bytes.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(SegmentFormat.magic)
    writer.integer(SegmentFormat.majorVersion)
    writer.integer(SegmentFormat.minorVersion)
    writer.integer(unpackedLength == nil ? UInt32(0) : SegmentFormat.packedFlag)
    writer.integer(UInt32(0))
    writer.integer(id.bits)
    writer.integer(UInt64(length))
    writer.blockHandle(directory)
    writer.integer(UInt32(unpackedLength ?? 0))
    writer.integer(CRC32C.checksum(writer.bytes.rawSpan))
    return writer.bytes
  }
}
