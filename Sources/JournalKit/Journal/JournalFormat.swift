/// The bytes of journal files, version 1. `docs/format/journal.md` is the specification.
package enum JournalFormat {
  /// A reader refuses files of a newer major version; a minor one only adds what may be ignored.
  package static let majorVersion: UInt16 = 1
  package static let minorVersion: UInt16 = 0
  /// Frames begin at multiples of this.
  package static let alignment = 8
  /// The length of a frame before its payload: the word and the checksum.
  package static let frameOverhead = 8
  /// The longest payload of a frame.
  package static let maximumPayloadLength = 64 << 20 - 1
  /// The file whose lock says that the journal has a living owner.
  package static let lockName = "owner.lock"
  /// The file that becomes the next segment: space, and nothing yet.
  package static let spareName = "spare"

  private static let suffix = ".jseg"

  /// The name of segment `number`: 16 hexadecimal digits, so that names sort as numbers do.
  package static func fileName(ofSegment number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + suffix
  }

  /// The number in a segment's file name; nil for the name of anything else. No journal counts beyond 2^63: a
  /// name can be anything, and there must be a next number.
  package static func segmentNumber(ofFile name: String) -> UInt64? {
    guard let number = UInt64(name.prefix(16), radix: 16), number > 0, number <= Int64.max,
      fileName(ofSegment: number) == name
    else { return nil }
    return number
  }

  /// The bytes that a frame takes in the file, padding included.
  package static func frameLength(payload: Int) -> Int {
    (frameOverhead + payload + alignment - 1) & ~(alignment - 1)
  }

  /// A frame's checksum: its payload, then where it belongs. A frame that was moved, left over from
  /// another file, or is out of order fails, and `CRC32C.lastNumber` finds the ordinal of an intact one.
  package static func checksum(
    payload: CRC32C, salt: UInt64, offset: Int64, word: UInt32, ordinal: UInt32
  ) -> UInt32 {
    var crc = payload
    crc.update(salt)
    crc.update(UInt64(bitPattern: offset), UInt64(ordinal) << 32 | UInt64(word))
    return crc.value
  }

  /// Everything in a frame's checksum but the ordinal.
  package static func placed(
    payload: CRC32C, salt: UInt64, offset: Int64, word: UInt32
  ) -> CRC32C {
    var crc = payload
    crc.update(salt)
    crc.update(UInt64(bitPattern: offset))
    crc.update(word)
    return crc
  }
}

/// What a frame is for; zero is the mark of unwritten space.
package enum JournalFrameKind: UInt32, Sendable {
  /// An entry, opaque to the journal.
  case entry = 1
  /// An entry that every segment repeats first; it has no sequence.
  case header = 2
  /// Everything before this frame was on stable storage when the frame was written.
  case sync = 3
  /// Nothing follows in this segment.
  case seal = 4
}

/// The first four bytes of a frame: kind and payload length.
package struct JournalFrameWord: Equatable, Sendable {
  /// The bit that is set while a writer that maps the file fills the frame.
  package static let beingWritten: UInt32 = 1 << 31

  package let kind: JournalFrameKind
  /// The payload's bytes.
  package let length: Int
  /// Whether the frame is not complete yet.
  package let isBeingWritten: Bool

  package init(_ kind: JournalFrameKind, length: Int) {
    precondition(length >= 0 && length <= JournalFormat.maximumPayloadLength)
    self.kind = kind
    self.length = length
    isBeingWritten = false
  }

  /// Nil when no writer makes such a word.
  package init?(rawValue: UInt32) {
    guard let kind = JournalFrameKind(rawValue: rawValue >> 28 & 7) else { return nil }
    let length = Int(rawValue & 0x0fff_ffff)
    switch kind {
    case .entry, .header: guard length <= JournalFormat.maximumPayloadLength else { return nil }
    case .sync: guard length == JournalSyncMark.length else { return nil }
    case .seal: guard length == JournalSeal.length else { return nil }
    }
    self.kind = kind
    self.length = length
    isBeingWritten = rawValue & Self.beingWritten != 0
  }

  package var rawValue: UInt32 { kind.rawValue << 28 | UInt32(length) }
}

/// The payload of a sync frame.
package struct JournalSyncMark: Equatable, Sendable {
  package static let length = 16

  /// The file's bytes that are on stable storage.
  package let end: Int64
  /// The entries among them.
  package let entryCount: UInt64

  package init(end: Int64, entryCount: UInt64) {
    self.end = end
    self.entryCount = entryCount
  }

  package init?(_ payload: RawSpan) {
    var reader = ByteReader(payload)
    guard let end = reader.integer(Int64.self), let count = reader.integer(UInt64.self) else {
      return nil
    }
    self.init(end: end, entryCount: count)
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.integer(end)
    writer.integer(entryCount)
    return writer.bytes
  }
}

/// The payload of the frame that ends a segment.
package struct JournalSeal: Equatable, Sendable {
  package static let length = 24

  package let entryCount: UInt64
  /// The sequence of the journal's last entry, which may be in an earlier segment.
  package let lastSequence: UInt64
  /// The sum of the entries' checksums, modulo 2^64.
  package let digest: UInt64

  package init(entryCount: UInt64, lastSequence: UInt64, digest: UInt64) {
    self.entryCount = entryCount
    self.lastSequence = lastSequence
    self.digest = digest
  }

  package init?(_ payload: RawSpan) {
    var reader = ByteReader(payload)
    guard let count = reader.integer(UInt64.self), let last = reader.integer(UInt64.self),
      let digest = reader.integer(UInt64.self)
    else { return nil }
    self.init(entryCount: count, lastSequence: last, digest: digest)
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.integer(entryCount)
    writer.integer(lastSequence)
    writer.integer(digest)
    return writer.bytes
  }
}
