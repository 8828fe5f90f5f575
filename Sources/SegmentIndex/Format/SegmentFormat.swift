/// The constants of the segment format; `docs/format/segment.md` describes every byte.
enum SegmentFormat {
  /// "PSEG", the first four bytes of every segment.
  static let magic: UInt32 = 0x4745_5350
  /// Readers refuse another major version.
  static let majorVersion: UInt16 = 1
  /// Readers accept any minor version: a new one only adds what an old reader may overlook.
  static let minorVersion: UInt16 = 0
  /// The flag of a segment that is compressed as a whole.
  static let packedFlag: UInt32 = 1
  /// The flags of which a reader must know every one that is set.
  static let knownIncompatibleFlags = packedFlag
  /// Segments of at most so many bytes are packed, and those that are a single granule.
  static let packingByteCount = 384 << 10
  /// The most bytes of a packed segment before it was packed.
  static let maximumPackedByteCount = 4 << 20

  static let headerByteCount = 64
  /// Blocks begin at multiples of this.
  static let alignment = 8
  /// The most rows of a segment.
  static let maximumRowCount = 1 << 20
  /// Rows that are decoded together, and over which bounds and posting lists are kept.
  static let granuleRowCount = 4096
  /// Rows whose text is compressed together.
  static let pageRowCount = 256

  /// The rows of part `index` when `rowCount` rows are divided into parts of `size`.
  static func rows(ofPart index: Int, size: Int, rowCount: Int) -> Range<Int> {
    index * size..<min((index + 1) * size, rowCount)
  }

  /// How many parts of `size` hold `rowCount` rows.
  static func partCount(size: Int, rowCount: Int) -> Int {
    (rowCount + size - 1) / size
  }
}
