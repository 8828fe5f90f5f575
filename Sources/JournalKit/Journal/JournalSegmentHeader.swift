/// The first bytes of a segment file, written once, twice in a row: every checksum in the file needs
/// the salt, so damage to one copy must not cost the file.
package struct JournalSegmentHeader: Equatable, Sendable {
  /// Of one copy.
  package static let length = 128
  /// Where the first frame begins.
  package static let framesStart: Int64 = 256

  static let magic: UInt64 = 0x0a1a_0a0d_4c4a_5089  // 89 "PJL" 0d 0a 1a 0a
  /// Compatible flag: `firstSequence` follows what could be read of an unsealed segment, and so says
  /// nothing about entries that this segment lost.
  static let continuesUnsealed: UInt32 = 1

  package var journalID: UInt128
  package var segmentNumber: UInt64
  /// The sequence of the segment's first entry.
  package var firstSequence: UInt64
  /// The start of the operating system under which the file was written.
  package var bootID: UInt128
  /// Random, different in every file.
  package var salt: UInt64
  /// When the file was made: nanoseconds since 1970.
  package var time: Int64
  /// The length at which the writer goes on in the next segment.
  package var lengthLimit: Int64
  package var continuesUnsealed = false

  /// What 128 bytes turned out to be.
  enum Decoded: Equatable {
    case header(JournalSegmentHeader)
    /// Intact, but of a version that this program does not know.
    case unsupported(majorVersion: UInt16)
    case damaged
  }

  static func decode(_ bytes: RawSpan) -> Decoded {
    var reader = ByteReader(bytes)
    guard bytes.byteCount == length, reader.integer(UInt64.self) == magic,
      bytes.littleEndian(UInt32.self, at: length - 4)
        == CRC32C.checksum(bytes.extracting(0..<length - 4)),
      let major = reader.integer(UInt16.self), reader.integer(UInt16.self) != nil,
      let compatible = reader.integer(UInt32.self), let incompatible = reader.integer(UInt32.self)
    else { return .damaged }
    guard major == JournalFormat.majorVersion, incompatible == 0 else {
      return .unsupported(majorVersion: major)
    }
    guard reader.integer(UInt32.self) != nil, let journalID = reader.integer(UInt128.self),
      let number = reader.integer(UInt64.self), let first = reader.integer(UInt64.self),
      let bootID = reader.integer(UInt128.self), let salt = reader.integer(UInt64.self),
      let time = reader.integer(Int64.self), let limit = reader.integer(Int64.self),
      // Leaves room for 2^32 entries, more than a segment can have, below the end of the numbers.
      first > 0, first <= UInt64(Int64.max)
    else { return .damaged }
    return .header(
      JournalSegmentHeader(
        journalID: journalID, segmentNumber: number, firstSequence: first, bootID: bootID,
        salt: salt, time: time, lengthLimit: limit,
        continuesUnsealed: compatible & continuesUnsealed != 0))
  }

  /// Both copies.
  func append(to writer: inout ByteWriter) {
    var copy = ByteWriter()
    copy.integer(Self.magic)
    copy.integer(JournalFormat.majorVersion)
    copy.integer(JournalFormat.minorVersion)
    copy.integer(continuesUnsealed ? Self.continuesUnsealed : 0)
    copy.integer(0 as UInt32)
    copy.integer(0 as UInt32)
    copy.integer(journalID)
    copy.integer(segmentNumber)
    copy.integer(firstSequence)
    copy.integer(bootID)
    copy.integer(salt)
    copy.integer(time)
    copy.integer(lengthLimit)
    copy.bytes.append(contentsOf: repeatElement(0, count: Self.length - 4 - copy.count))
    copy.integer(CRC32C.checksum(copy.bytes.rawSpan))
    writer.append(copy.bytes.rawSpan)
    writer.append(copy.bytes.rawSpan)
  }
}

// MARK: - Reading both copies

extension JournalSegmentHeader {
  /// How a file named like a segment begins.
  enum Found: Equatable {
    /// As a segment; `damage` when only one copy of its header is intact.
    case header(JournalSegmentHeader, damage: Range<Int64>?)
    /// As a segment of a newer program.
    case unsupported(majorVersion: UInt16)
    /// Too short for a header, or blank: its writer stopped before it wrote any entry.
    case unbegun
    /// As nothing known: there is no way to check what follows.
    case damaged
  }

  static func find(in window: inout FileWindow) throws(DiskError) -> Found {
    guard try window.load(0..<framesStart) else { return .unbegun }
    let first = decode(window.bytes(0..<Int64(length)))
    let second = decode(window.bytes(Int64(length)..<framesStart))
    switch (first, second) {
    case (.unsupported(let majorVersion), _), (_, .unsupported(let majorVersion)):
      return .unsupported(majorVersion: majorVersion)
    case (.header(let header), _):
      return .header(header, damage: first == second ? nil : Int64(length)..<framesStart)
    case (.damaged, .header(let header)):
      return .header(header, damage: 0..<Int64(length))
    case (.damaged, .damaged):
      return try window.isBlank(from: 0) ? .unbegun : .damaged
    }
  }
}
