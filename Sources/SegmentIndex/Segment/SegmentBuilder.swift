internal import JournalKit

/// Collects records and makes a segment of them.
///
/// Records may come in any order. They are taken apart into columns as they come; what is kept of each is
/// about as large as its text. The caller decides when there are enough: `rowLimit` rows are the usual
/// size of a segment.
///
/// Of tags with the same key on one record the first counts.
public struct SegmentBuilder: Sendable {
  /// How many rows a segment usually gets.
  public static let rowLimit = 131_072

  /// How many records have been added.
  public private(set) var rowCount = 0

  let id: UniqueID
  var sessionInfos: [SessionInfo] = []
  var sources: [SegmentSource] = []
  var parents: [UniqueID] = []
  var digest: UInt64 = 0
  /// Whether the records have come in the segment's order so far.
  var isInOrder = true

  var ids = IdentityColumnBuilder()
  var times = IntegerColumnBuilder()
  var sequences = IntegerColumnBuilder()
  var durations = IntegerColumnBuilder()
  var lines = IntegerColumnBuilder()
  var messages = TextColumnBuilder()
  var payloads = TextColumnBuilder()
  var sessions = TermColumnBuilder()
  var levels = TermColumnBuilder()
  var events = TermColumnBuilder()
  var versions = TermColumnBuilder()
  var scopes = TermColumnBuilder()
  var spans = TermColumnBuilder()
  var exits = TermColumnBuilder()
  var exitReasons = TermColumnBuilder()
  var functions = TermColumnBuilder()
  var files = TermColumnBuilder()
  var externalIDs = TermColumnBuilder()
  var tags = TagColumnsBuilder()

  private var lastPlace: (time: Int64, session: UInt128, sequence: UInt64)?
  private var digester = RecordDigest()
  private var scratch = ByteWriter()

  /// A builder of a segment with this identity.
  public init(id: UniqueID = UniqueID()) {
    self.id = id
  }

  /// About how many bytes this holds in memory.
  public var byteEstimate: Int {
    let integers = [times, sequences, durations, lines].reduce(0) { $0 + $1.byteCount }
    let texts = messages.byteCount + payloads.byteCount
    let terms = [
      sessions, levels, events, versions, scopes, spans, exits, exitReasons, functions, files,
      externalIDs,
    ].reduce(0) { $0 + $1.byteCount }
    return integers + texts + terms + ids.byteCount + tags.byteCount
  }

  /// Adds what is known of a run of the program, instead of what was known of it before.
  public mutating func add(_ session: SessionInfo) {
    if let index = sessionInfos.firstIndex(where: { $0.id == session.id }) {
      sessionInfos[index] = session
    } else {
      sessionInfos.append(session)
    }
  }

  /// Says where records came from. Stretches that adjoin are one.
  public mutating func add(_ source: SegmentSource) {
    var source = source
    sources.removeAll { other in
      guard other.journal == source.journal,
        other.firstSequence <= source.lastSequence
          || other.firstSequence - 1 == source.lastSequence,
        source.firstSequence <= other.lastSequence || source.firstSequence - 1 == other.lastSequence
      else { return false }
      source.firstSequence = min(source.firstSequence, other.firstSequence)
      source.lastSequence = max(source.lastSequence, other.lastSequence)
      return true
    }
    sources.append(source)
  }

  /// Says that the segment stands for another, whose records it has or whose records are to be gone.
  public mutating func add(parent: UniqueID) {
    parents.append(parent)
  }

  /// Adds a record. There may be at most 1,048,576.
  public mutating func append(_ record: Record) {
    precondition(rowCount < SegmentFormat.maximumRowCount, "a segment has at most 1,048,576 rows")
    let row = rowCount
    rowCount += 1
    digest &+= digester.digest(of: record)
    noteOrder(of: record)

    ids.append(record.id, session: record.session, sequence: record.sequence)
    times.append(record.time, row: row)
    sequences.append(Int64(bitPattern: record.sequence), row: row)
    if let duration = record.duration { durations.append(duration, row: row) }
    if let line = record.line { lines.append(line, row: row) }
    messages.append(record.message, using: &scratch)
    payloads.append(record.payload.rawSpan)

    sessions.append(row: row, using: &scratch) { $0.term(record.session) }
    levels.append(row: row, using: &scratch) { $0.term(record.level) }
    events.append(record.event, row: row, using: &scratch)
    versions.append(row: row, using: &scratch) { $0.term(record.version) }
    if !record.scopes.isEmpty {
      scopes.append(row: row, using: &scratch) { $0.term(record.scopes) }
    }
    if let span = record.span { spans.append(row: row, using: &scratch) { $0.term(span) } }
    exits.append(record.exit, row: row, using: &scratch)
    exitReasons.append(record.exitReason, row: row, using: &scratch)
    functions.append(record.function, row: row, using: &scratch)
    files.append(record.file, row: row, using: &scratch)
    externalIDs.append(record.externalID, row: row, using: &scratch)
    tags.append(record.tags, row: row, using: &scratch)
  }

  private mutating func noteOrder(of record: Record) {
    let place = (record.time, record.session.bits, record.sequence)
    if let lastPlace, place < lastPlace { isInOrder = false }
    lastPlace = place
  }

  /// The digest of one record. The sum over records, with wrapping addition, is that of a segment of them.
  package static func digest(of record: Record) -> UInt64 {
    var digester = RecordDigest()
    return digester.digest(of: record)
  }
}
