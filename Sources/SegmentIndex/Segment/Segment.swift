package import JournalKit
internal import Synchronization

/// An immutable, indexed set of records: one file, or bytes in memory.
///
/// Rows are sorted by time, then session, then sequence. They are divided into granules of 4,096, and
/// queries decode a granule of a column at a time. Opening reads the header and the directory; a column's
/// own block is read when the column is first asked for, and each block's checksum is computed when the
/// block is first read. A damaged block is always a `SegmentError`, never a different answer.
public final class Segment: Sendable {
  /// How many rows are decoded together.
  public static let granuleRowCount = SegmentFormat.granuleRowCount

  /// What errors call the segment: of a file, its path.
  public let name: String
  let file: SegmentFile
  let header: SegmentHeader
  let directory: SegmentDirectory
  /// The positions of the tags in the directory, in the order of their keys' UTF-8.
  private let tagPositions: [Int]
  /// The columns opened so far, as the directory has them.
  private let columns: Mutex<[SegmentColumn?]>
  /// What records are read from, once something has asked for that.
  private let madeRecordColumns = Mutex<RecordColumns?>(nil)

  /// Opens a segment in memory.
  public convenience init(bytes: [UInt8], name: String) throws(SegmentError) {
    try self.init(storage: SharedBytes(bytes), name: name)
  }

  /// Opens the segment file at `path`, and maps it: nobody may write to it as long as this is used. Deleting it is
  /// harmless.
  ///
  /// - Throws: `SegmentError`, also when the file cannot be read.
  public convenience init(path: String) throws(SegmentError) {
    do {
      try self.init(mapping: path, fileSystem: POSIXFileSystem())
    } catch let error as SegmentError {
      throw error
    } catch {
      throw SegmentError(segment: path, offset: 0, reason: "\(error)")
    }
  }

  /// Opens the segment file at `path` of `fileSystem`, and maps it. Throws `DiskError` or `SegmentError`.
  ///
  /// Header and directory are read, not looked at in the map: that would take a fault for each, and bring into this
  /// process's memory what lies around them, with some file systems two megabytes.
  convenience init(mapping path: String, fileSystem: any FileSystem) throws {
    let file = try fileSystem.open(path, .read)
    defer { try? fileSystem.close(file) }
    let storage = try SharedBytes(mapping: file, fileSystem: fileSystem)
    let head = try fileSystem.bytes(of: file, 0..<min(storage.count, SegmentFormat.headerByteCount))
    let header = try SegmentHeader(head.rawSpan, fileLength: storage.count, name: path)
    guard header.unpackedLength == nil, header.directory.length <= Self.readingLimit else {
      try self.init(storage: storage, name: path)
      return
    }
    let directory = try fileSystem.bytes(of: file, header.directory.range)
    try self.init(SegmentFile(storage, name: path), header, directory: directory.rawSpan)
  }

  /// The bytes of the longest directory that is read; one that claims to be longer is looked at where it is.
  private static let readingLimit = 1 << 20

  /// Opens a segment that is all of `storage`.
  package convenience init(storage: SharedBytes, name: String) throws(SegmentError) {
    let header = try SegmentHeader(storage.rawSpan, fileLength: storage.count, name: name)
    let unpacked = try Self.unpacked(storage, header, name)
    try self.init(
      SegmentFile(unpacked, name: name), header,
      directory: unpacked.rawSpan.extracting(header.directory.range))
  }

  /// Opens a segment by its header and the bytes of its directory.
  private init(
    _ file: SegmentFile, _ header: SegmentHeader, directory bytes: RawSpan
  ) throws(SegmentError) {
    try file.check(bytes, of: header.directory)
    guard let directory = SegmentDirectory(bytes, fileLength: file.storage.count),
      let tagPositions = Self.tagPositions(directory)
    else { throw file.error(at: header.directory.offset, "the directory is malformed") }
    name = file.name
    self.file = file
    self.header = header
    self.directory = directory
    self.tagPositions = tagPositions
    columns = Mutex([SegmentColumn?](repeating: nil, count: directory.columns.count))
  }

  /// The tags in the order of their keys; nil when two have the same.
  private static func tagPositions(_ directory: SegmentDirectory) -> [Int]? {
    let tags = directory.columns.indices.filter { directory.columns[$0].field == .tag }
      .sorted { directory.tagKey(at: $0).precedesInUTF8(directory.tagKey(at: $1)) }
    for index in tags.indices.dropFirst() {
      // Neighbours in the order either differ or are the same.
      guard directory.tagKey(at: tags[index - 1]).precedesInUTF8(directory.tagKey(at: tags[index]))
      else { return nil }
    }
    return tags
  }
}

// MARK: - What it is

extension Segment {
  /// The segment's identity.
  public var id: UniqueID { header.id }

  /// How many records there are.
  public var rowCount: Int { directory.rowCount }

  /// How many granules there are: every one but the last has 4,096 rows.
  public var granuleCount: Int {
    SegmentFormat.partCount(size: Self.granuleRowCount, rowCount: rowCount)
  }

  /// The least and greatest time of a record, in nanoseconds since 1970; nil when there is no record.
  public var timeRange: ClosedRange<Int64>? { directory.timeRange }

  /// The runs of programs that are described here.
  public var sessions: [SessionInfo] { directory.sessions }

  /// Where the records came from.
  public var sources: [SegmentSource] { directory.sources }

  /// The generation of the manifest that was to list this segment first; nil when nobody says.
  package var generation: UInt64? { directory.generation }

  /// The segments that this one stands for. Where it counts, they must not.
  public var parents: [UniqueID] { directory.parents }

  /// The length of the segment's file in bytes.
  package var byteCount: Int { header.length }

  /// A CRC-32C that covers, through those of the parts, the whole content.
  package var checksum: UInt32 { header.checksum }

  /// The sum, with wrapping addition, of the records' digests.
  package var digest: UInt64 { directory.digest }

  /// The keys of the tags that records have, in the order in which records list them.
  public var tagKeys: [String] { directory.columns.compactMap(\.tagKey) }

  /// The rows of granule `granule`, counted from the segment's first.
  public func rows(ofGranule granule: Int) -> Range<Int> {
    SegmentFormat.rows(ofPart: granule, size: Self.granuleRowCount, rowCount: rowCount)
  }

  /// The error that says that something about the segment as a whole is wrong.
  func error(at offset: Int, _ reason: String) -> SegmentError {
    file.error(at: offset, reason)
  }
}

// MARK: - Columns

extension Segment {
  /// The column of `field`; nil when no row has the field. Tag keys are compared to the byte.
  public func column(_ field: SegmentField) throws(SegmentError) -> SegmentColumn? {
    if case .tag(let key) = field {
      guard let position = position(ofTag: key) else { return nil }
      return try column(at: position)
    }
    return try column(number: FieldNumber(field))
  }

  /// The least and greatest time in granule `granule`. Decodes nothing.
  public func timeBounds(
    ofGranule granule: Int
  ) throws(SegmentError) -> ClosedRange<Int64> {
    guard let bounds = try integers(.time).bounds(granule: granule)
    else { throw missing(.time) }
    return bounds
  }

  /// For each granule its least and greatest time. Decodes nothing.
  package var granuleTimes: GranuleLimits {
    get throws(SegmentError) { try integers(.time).limits }
  }

  /// What records are put together from: made once, because it takes every column.
  var recordColumns: RecordColumns {
    get throws(SegmentError) {
      if let columns = madeRecordColumns.withLock({ $0 }) { return columns }
      let columns = try RecordColumns(self)
      madeRecordColumns.withLock { $0 = columns }
      return columns
    }
  }

  /// The column of a field that is not a tag; nil when no row has the field.
  func column(number field: FieldNumber) throws(SegmentError) -> SegmentColumn? {
    guard let position = directory.columns.firstIndex(where: { $0.field == field })
    else { return nil }
    return try column(at: position)
  }

  /// The column at a position in the directory.
  func column(at position: Int) throws(SegmentError) -> SegmentColumn {
    if let column = columns.withLock({ $0[position] }) { return column }
    // Two threads may both open it; either result serves.
    let column = try open(directory.columns[position])
    columns.withLock { $0[position] = column }
    return column
  }

  private func position(ofTag key: String) -> Int? {
    let place = tagPositions.indices.partitionPoint {
      directory.tagKey(at: tagPositions[$0]).precedesInUTF8(key)
    }
    guard place < tagPositions.count, case let position = tagPositions[place],
      !key.precedesInUTF8(directory.tagKey(at: position))
    else { return nil }
    return position
  }

  private func open(_ entry: SegmentDirectory.Column) throws(SegmentError) -> SegmentColumn {
    let kind = entry.field.kind
    // Identities may be derived from these two, so they have to be open first.
    let origin = kind == .identities ? try (terms(.session), integers(.sequence)) : nil
    try file.check(entry.handle)
    return try file.read(checked: entry.handle, as: "a column") { bytes in
      var reader = ByteReader(bytes)
      guard let number = reader.byte(), let stored = ColumnKind(rawValue: number),
        stored == kind || stored == .numbers && entry.field == .tag,
        let column = column(of: stored, &reader, origin: origin), reader.remaining == 0
      else { return nil }
      return column
    }
  }

  private func column(
    of kind: ColumnKind, _ reader: inout ByteReader, origin: (TermColumn, IntegerColumn)?
  ) -> SegmentColumn? {
    switch kind {
    case .integers:
      return IntegerColumn(&reader, rowCount: rowCount, file: file).map { .integers($0) }
    case .numbers:
      return NumberColumn(&reader, rowCount: rowCount, file: file).map { .numbers($0) }
    case .terms:
      return TermColumn(&reader, rowCount: rowCount, file: file).map { .terms($0) }
    case .texts:
      return TextColumn(&reader, rowCount: rowCount, file: file).map { .texts($0) }
    case .identities:
      guard let (sessions, sequences) = origin else { return nil }
      return IdentityColumn(
        &reader, rowCount: rowCount, file: file, sessions: sessions, sequences: sequences
      ).map { .identities($0) }
    }
  }

  /// The column of a field that every record has.
  func terms(_ field: FieldNumber) throws(SegmentError) -> TermColumn {
    guard case .terms(let column) = try column(number: field) else { throw missing(field) }
    return column
  }

  /// The column of a field that every record has.
  func integers(_ field: FieldNumber) throws(SegmentError) -> IntegerColumn {
    guard case .integers(let column) = try column(number: field) else { throw missing(field) }
    return column
  }

  /// The error that says that records lack what every one has.
  package func lacking(_ field: String) -> SegmentError {
    error(at: header.directory.offset, "records lack their \(field)")
  }

  func missing(_ field: FieldNumber) -> SegmentError { lacking("\(field)") }
}

extension String {
  /// Whether the text comes before `other` in the order of their bytes.
  fileprivate func precedesInUTF8(_ other: String) -> Bool {
    let (left, right) = (utf8, other.utf8)
    return unsafe left.span.bytes.precedes(right.span.bytes)
  }
}
