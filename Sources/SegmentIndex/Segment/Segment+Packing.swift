internal import JournalKit

// A small segment is packed: what follows the header is compressed as a whole. Its columns have much in common that no
// block alone shows, and to read it whole costs about as much as to read any of it.

extension Segment {
  /// A packed segment is at least this fraction of its length shorter.
  private static let leastGain = 8
  private static let checksumByteCount = 4

  /// Whether a segment of so many rows and bytes is small enough to be read as a whole.
  static func isSmall(rowCount: Int, byteCount: Int) -> Bool {
    rowCount <= SegmentFormat.granuleRowCount || byteCount <= SegmentFormat.packingByteCount
  }

  /// The segment with these bytes, packed; nil when that does not pay, or would be too much to read at once.
  package static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count <= SegmentFormat.maximumPackedByteCount,
      var header = try? SegmentHeader(bytes.rawSpan, fileLength: bytes.count, name: ""),
      header.unpackedLength == nil
    else { return nil }
    let start = SegmentFormat.headerByteCount
    var content = ByteWriter()
    content.append(Deflate.compress(bytes.rawSpan.extracting(start..<bytes.count)).rawSpan)
    // Not all bits that are changed in it change what it unpacks to.
    content.integer(CRC32C.checksum(content.bytes.rawSpan))
    guard start + content.count <= bytes.count - bytes.count / leastGain else { return nil }
    header.unpackedLength = bytes.count
    header.length = start + content.count
    return header.encoded() + content.bytes
  }

  /// The segment as it was before it was packed, if it is.
  static func unpacked(
    _ storage: SharedBytes, _ header: SegmentHeader, _ name: String
  ) throws(SegmentError) -> SharedBytes {
    guard let length = header.unpackedLength else { return storage }
    let start = SegmentFormat.headerByteCount
    // The header is looked at in the file; here only its place matters.
    var bytes = [UInt8](repeating: 0, count: start)
    let end = storage.count - checksumByteCount
    guard end >= start,
      storage.rawSpan.littleEndian(UInt32.self, at: end)
        == CRC32C.checksum(storage.rawSpan.extracting(start..<end)),
      Deflate.decompress(
        storage.rawSpan.extracting(start..<end), appendingTo: &bytes, count: length - start)
    else { throw SegmentError(segment: name, offset: start, reason: "the packing is damaged") }
    return SharedBytes(bytes)
  }
}
