internal import JournalKit

// A segment with few records is packed: what follows the header is compressed as a whole. Its columns have much in
// common that no block alone shows, and to read it whole costs about as much as to read any of it.

extension Segment {
  /// A packed segment is at least this fraction of its length shorter.
  private static let leastGain = 8

  /// The segment with these bytes, packed; nil when that does not pay, or would be too much to read at once.
  package static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count <= SegmentFormat.maximumPackedByteCount,
      var header = try? SegmentHeader(bytes.rawSpan, name: ""), header.unpackedLength == nil
    else { return nil }
    let start = SegmentFormat.headerByteCount
    let content = Deflate.compress(bytes.rawSpan.extracting(start..<bytes.count))
    guard start + content.count <= bytes.count - bytes.count / leastGain else { return nil }
    header.unpackedLength = bytes.count
    header.length = start + content.count
    return header.encoded() + content
  }

  /// The segment as it was before it was packed, if it is.
  static func unpacked(
    _ storage: SharedBytes, _ header: SegmentHeader, _ name: String
  ) throws(SegmentError) -> SharedBytes {
    guard let length = header.unpackedLength else { return storage }
    let start = SegmentFormat.headerByteCount
    // The header is looked at in the file; here only its place matters.
    var bytes = [UInt8](repeating: 0, count: start)
    guard
      Deflate.decompress(
        storage.rawSpan.extracting(start..<storage.count), appendingTo: &bytes,
        count: length - start)
    else { throw SegmentError(segment: name, offset: start, reason: "the packing is damaged") }
    return SharedBytes(bytes)
  }
}
