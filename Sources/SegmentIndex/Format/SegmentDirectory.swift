internal import JournalKit

/// What a segment holds and where its columns are. The bytes:
///
///     varint rows
///     i64    least time, i64 greatest time, if there are rows
///     u64    sum of the records' digests
///     varint sessions; for each: u128 identity, i64 start, and app, system and device as prefixed texts
///     varint sources; for each: u128 journal, u64 first sequence, u64 last sequence; the generation is one, too
///     varint parents; for each: u128 identity
///     varint columns; for each: u8 field number, the key as a prefixed text (empty unless it is a tag),
///            and the handle of the column's own block
///
/// A prefixed text is a varint byte count and UTF-8. Field numbers ascend, and so do the columns' own blocks,
/// which share no byte; tags are in the order in which records list them. A reader overlooks columns whose number it does not know.
struct SegmentDirectory {
  struct Column {
    let field: FieldNumber
    /// The key of a tag; nil for every other field.
    let tagKey: String?
    let handle: BlockHandle
  }

  /// What is in the place of a journal's identity where a generation is in the place of the sequences.
  private static let generationMark = UInt128.max

  var rowCount: Int
  var timeRange: ClosedRange<Int64>?
  var digest: UInt64
  var sessions: [SessionInfo]
  var sources: [SegmentSource]
  /// The generation of the manifest that was to list the segment first; nil when nobody says.
  var generation: UInt64?
  var parents: [UniqueID]
  var columns: [Column] = []
  /// Whether a newer writer wrote columns that this reader overlooks.
  private(set) var hasUnknownColumns = false

  init(
    rowCount: Int, timeRange: ClosedRange<Int64>?, digest: UInt64, sessions: [SessionInfo],
    sources: [SegmentSource], parents: [UniqueID]
  ) {
    self.rowCount = rowCount
    self.timeRange = timeRange
    self.digest = digest
    self.sessions = sessions
    self.sources = sources
    self.parents = parents
  }

  /// Reads a directory; nil when the bytes are not one.
  init?(_ bytes: RawSpan, fileLength: Int) {
    var reader = ByteReader(bytes)
    guard let rowCount = reader.count(atMost: SegmentFormat.maximumRowCount) else { return nil }
    if rowCount > 0 {
      guard let least = reader.integer(Int64.self), let greatest = reader.integer(Int64.self),
        least <= greatest
      else { return nil }
      timeRange = least...greatest
    }
    guard let digest = reader.integer(UInt64.self),
      let sessions = Self.sessions(&reader), let sources = Self.sources(&reader),
      let parents = Self.parents(&reader)
    else { return nil }
    self.rowCount = rowCount
    self.digest = digest
    self.sessions = sessions
    self.sources = sources.filter { $0.journal != Self.generationMark }
    generation = sources.last { $0.journal == Self.generationMark }?.lastSequence
    self.parents = parents
    guard readColumns(&reader, fileLength: fileLength), reader.remaining == 0 else { return nil }
  }

  /// The key of the tag at `position`.
  func tagKey(at position: Int) -> String { columns[position].tagKey ?? "" }

  private static func sessions(_ reader: inout ByteReader) -> [SessionInfo]? {
    // 27, 32 and 18 bytes are the least that a session, a source and a column take.
    guard let count = reader.count(atMost: reader.remaining / 27) else { return nil }
    var sessions: [SessionInfo] = []
    sessions.reserveCapacity(count)
    for _ in 0..<count {
      guard let id = reader.integer(UInt128.self), let start = reader.integer(Int64.self),
        let app = reader.prefixedString(), let os = reader.prefixedString(),
        let device = reader.prefixedString()
      else { return nil }
      let id128 = UniqueID(bits: id)
      sessions.append(SessionInfo(id: id128, start: start, app: app, os: os, device: device))
    }
    return sessions
  }

  private static func sources(_ reader: inout ByteReader) -> [SegmentSource]? {
    guard let count = reader.count(atMost: reader.remaining / 32) else { return nil }
    var sources: [SegmentSource] = []
    sources.reserveCapacity(count)
    for _ in 0..<count {
      guard let journal = reader.integer(UInt128.self), let first = reader.integer(UInt64.self),
        let last = reader.integer(UInt64.self), last <= Int64.max
      else { return nil }
      sources.append(SegmentSource(journal: journal, firstSequence: first, lastSequence: last))
    }
    return sources
  }

  private static func parents(_ reader: inout ByteReader) -> [UniqueID]? {
    guard let count = reader.count(atMost: reader.remaining / 16) else { return nil }
    var parents: [UniqueID] = []
    parents.reserveCapacity(count)
    for _ in 0..<count {
      guard let bits = reader.integer(UInt128.self) else { return nil }
      parents.append(UniqueID(bits: bits))
    }
    return parents
  }

  private mutating func readColumns(_ reader: inout ByteReader, fileLength: Int) -> Bool {
    guard let count = reader.count(atMost: reader.remaining / 18) else { return false }
    columns.reserveCapacity(count)
    var lastNumber: UInt8 = 0
    // Columns of the same bytes would cost far more to read than the file is long.
    var end = 0
    for _ in 0..<count {
      guard let number = reader.byte(), let key = reader.prefixedString(),
        let handle = BlockHandle(&reader, fileLength: fileLength), number >= lastNumber,
        handle.offset >= end
      else { return false }
      end = handle.range.upperBound
      let field = FieldNumber(rawValue: number)
      guard number > lastNumber || field == .tag else { return false }
      lastNumber = number
      if let field {
        columns.append(Column(field: field, tagKey: field == .tag ? key : nil, handle: handle))
      } else {
        hasUnknownColumns = true
      }
    }
    return true
  }

  /// Appends the directory's bytes.
  func write(to writer: inout ByteWriter) {
    writer.varint(UInt64(rowCount))
    if let timeRange {
      writer.integer(timeRange.lowerBound)
      writer.integer(timeRange.upperBound)
    }
    writer.integer(digest)
    writer.varint(UInt64(sessions.count))
    for session in sessions {
      writer.integer(session.id.bits)
      writer.integer(session.start)
      writer.prefixedString(session.app)
      writer.prefixedString(session.os)
      writer.prefixedString(session.device)
    }
    let mark = generation.map {
      SegmentSource(journal: Self.generationMark, firstSequence: $0, lastSequence: $0)
    }
    let sources = sources + (mark.map { [$0] } ?? [])
    writer.varint(UInt64(sources.count))
    for source in sources {
      writer.integer(source.journal)
      writer.integer(source.firstSequence)
      writer.integer(source.lastSequence)
    }
    writer.varint(UInt64(parents.count))
    for parent in parents { writer.integer(parent.bits) }
    writer.varint(UInt64(columns.count))
    for column in columns {
      writer.byte(column.field.rawValue)
      writer.prefixedString(column.tagKey ?? "")
      writer.blockHandle(column.handle)
    }
  }
}
