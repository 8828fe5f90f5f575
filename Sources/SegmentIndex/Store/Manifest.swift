internal import JournalKit

/// The list of what a store consists of: one small file per generation, complete in itself.
///
/// A manifest is never changed. Writing the next generation is the moment at which a change to the store
/// happens. `docs/format/manifest.md` has its bytes.
public struct Manifest: Sendable, Equatable {
  /// A segment of the store.
  public struct Entry: Sendable, Equatable {
    /// Names the file.
    public var id: UniqueID
    /// The file's bytes.
    public var length: UInt64
    /// The checksum in the segment's header, which covers all others in it.
    public var checksum: UInt32
    /// The records in it, at least one.
    public var rowCount: UInt32
    /// The times of its records, in nanoseconds since 1970.
    public var timeRange: ClosedRange<Int64>

    /// Describes a segment.
    package init(
      id: UniqueID, length: UInt64, checksum: UInt32, rowCount: UInt32,
      timeRange: ClosedRange<Int64>
    ) {
      self.id = id
      self.length = length
      self.checksum = checksum
      self.rowCount = rowCount
      self.timeRange = timeRange
    }
  }

  /// Counted from 1; 0 is the store that nobody has written to.
  public var generation: UInt64 = 0
  /// The checksum of the generation before; 0 when there is none.
  public var previousChecksum: UInt32 = 0
  /// The segments, in the order in which they joined.
  public var segments: [Entry] = []
  /// For each journal up to which sequence its entries are in segments, or known to be lost.
  public var compactedUpTo: [UInt128: UInt64] = [:]
  /// What is known to be missing.
  public var gaps: [Gap] = []
  /// Segments that have left the store and whose files may still be there: they are to be removed.
  public var removed: [UniqueID] = []

  /// The manifest of an empty store.
  public init() {}
}

// MARK: - Bytes

extension Manifest {
  static let majorVersion: UInt16 = 1
  private static let magic: UInt64 = 0x0a1a_0a0d_464d_5089  // 89 "PMF" 0d 0a 1a 0a
  private static let headerLength = 48
  private static let segmentLength = 48
  private static let journalLength = 24
  private static let removedLength = 16
  /// A gap with an empty name.
  private static let gapLength = 35
  /// Readers refuse longer files: 64 MiB are over a million segments.
  static let maximumLength = 64 << 20

  /// Why bytes are not a manifest that can be used.
  package enum Flaw: Error, Equatable {
    case damaged(offset: Int)
    case unsupportedVersion(UInt16)
  }

  /// The checksum at the end of an encoded manifest.
  static func checksum(of bytes: [UInt8]) -> UInt32 {
    bytes.rawSpan.littleEndian(UInt32.self, at: bytes.count - 4)
  }

  /// The manifest's bytes.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(Self.magic)
    writer.integer(Self.majorVersion)
    writer.integer(0 as UInt16)
    writer.integer(0 as UInt32)
    writer.integer(generation)
    writer.integer(previousChecksum)
    writer.integer(0 as UInt32)
    writer.integer(UInt32(segments.count))
    writer.integer(UInt32(compactedUpTo.count))
    writer.integer(UInt32(gaps.count))
    writer.integer(UInt32(removed.count))
    for segment in segments {
      writer.integer(segment.id.bits)
      writer.integer(segment.length)
      writer.integer(segment.checksum)
      writer.integer(segment.rowCount)
      writer.integer(segment.timeRange.lowerBound)
      writer.integer(segment.timeRange.upperBound)
    }
    for (journal, sequence) in compactedUpTo.sorted(by: { $0.key < $1.key }) {
      writer.integer(journal)
      writer.integer(sequence)
    }
    for gap in gaps { Self.append(gap, to: &writer) }
    for id in removed { writer.integer(id.bits) }
    writer.integer(CRC32C.checksum(writer.bytes.rawSpan))
    return writer.bytes
  }

  private static func append(_ gap: Gap, to writer: inout ByteWriter) {
    writer.byte(gap.cause.rawValue)
    writer.byte(
      (gap.missing == nil ? 0 : 1) | (gap.timeRange == nil ? 0 : 2) | (gap.journal == nil ? 0 : 4))
    writer.integer(gap.offset)
    writer.integer(gap.missing ?? 0)
    writer.integer(gap.timeRange?.lowerBound ?? 0)
    writer.integer(gap.timeRange?.upperBound ?? 0)
    writer.prefixedString(gap.file)
    if let journal = gap.journal { writer.integer(journal) }
  }

  /// Reads what `encoded` wrote.
  package init(_ bytes: RawSpan) throws(Flaw) {
    let end = bytes.byteCount - 4
    guard end >= Self.headerLength,
      bytes.littleEndian(UInt32.self, at: end) == CRC32C.checksum(bytes.extracting(0..<end))
    else { throw .damaged(offset: 0) }
    var reader = ByteReader(bytes.extracting(0..<end))
    guard reader.integer(UInt64.self) == Self.magic, let major = reader.integer(UInt16.self),
      reader.integer(UInt16.self) != nil, let incompatible = reader.integer(UInt32.self)
    else { throw .damaged(offset: 0) }
    guard major == Self.majorVersion, incompatible == 0 else { throw .unsupportedVersion(major) }
    guard let generation = reader.integer(UInt64.self),
      let previous = reader.integer(UInt32.self), reader.integer(UInt32.self) != nil,
      let segmentCount = reader.integer(UInt32.self),
      let journalCount = reader.integer(UInt32.self),
      let gapCount = reader.integer(UInt32.self), let removedCount = reader.integer(UInt32.self),
      // Before anything is allocated for them.
      Int(segmentCount) * Self.segmentLength + Int(journalCount) * Self.journalLength
        + Int(gapCount) * Self.gapLength + Int(removedCount) * Self.removedLength
        <= reader.remaining
    else { throw .damaged(offset: reader.offset) }
    self.generation = generation
    previousChecksum = previous
    for _ in 0..<segmentCount { segments.append(try Self.segment(&reader)) }
    for _ in 0..<journalCount {
      // Numbers are counted on from: no writer comes near the end of them.
      guard let journal = reader.integer(UInt128.self), let sequence = reader.integer(UInt64.self),
        sequence <= Int64.max
      else { throw .damaged(offset: reader.offset) }
      compactedUpTo[journal] = sequence
    }
    for _ in 0..<gapCount { gaps.append(try Self.gap(&reader)) }
    for _ in 0..<removedCount {
      guard let bits = reader.integer(UInt128.self) else {
        throw .damaged(offset: reader.offset)
      }
      removed.append(UniqueID(bits: bits))
    }
    guard reader.remaining == 0 else { throw .damaged(offset: reader.offset) }
  }

  private static func segment(_ reader: inout ByteReader) throws(Flaw) -> Entry {
    guard let id = reader.integer(UInt128.self), let length = reader.integer(UInt64.self),
      length <= Int64.max, let checksum = reader.integer(UInt32.self),
      let rowCount = reader.integer(UInt32.self), rowCount > 0,
      let first = reader.integer(Int64.self), let last = reader.integer(Int64.self), first <= last
    else { throw .damaged(offset: reader.offset) }
    return Entry(
      id: UniqueID(bits: id), length: length, checksum: checksum, rowCount: rowCount,
      timeRange: first...last)
  }

  private static func gap(_ reader: inout ByteReader) throws(Flaw) -> Gap {
    guard let cause = reader.byte().flatMap(Gap.Cause.init(rawValue:)), let flags = reader.byte(),
      let offset = reader.integer(Int64.self), let missing = reader.integer(UInt64.self),
      let first = reader.integer(Int64.self), let last = reader.integer(Int64.self),
      first <= last, let file = reader.prefixedString()
    else { throw .damaged(offset: reader.offset) }
    let journal = flags & 4 == 0 ? nil : reader.integer(UInt128.self)
    guard flags & 4 == 0 || journal != nil else { throw .damaged(offset: reader.offset) }
    return Gap(
      file: file, offset: offset, cause: cause, missing: flags & 1 == 0 ? nil : missing,
      timeRange: flags & 2 == 0 ? nil : first...last, journal: journal)
  }
}
