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
  var sessions = SessionDescriptions()
  /// Where records come from, as it was said.
  private var stretches: [SegmentSource] = []
  var parents: [UniqueID] = []
  /// The generation of the manifest that is to list the segment first.
  package var generation: UInt64?
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
  /// Few records have any, so rows without are left out until one has.
  var attachments = TextColumnBuilder()
  /// By field number; those of other kinds stay empty.
  var terms = [TermColumnBuilder](
    repeating: TermColumnBuilder(), count: Int(FieldNumber.externalID.rawValue) + 1)
  var tags = TagColumnsBuilder()

  private var lastPlace: (time: Int64, session: UInt128, sequence: UInt64)?
  /// The record that is being added.
  private var single = RecordBatch()

  /// A builder of a segment with this identity.
  public init(id: UniqueID = UniqueID()) {
    self.id = id
  }

  /// Where records come from: stretches that do not adjoin, in order.
  var sources: [SegmentSource] { stretches.merged() }

  /// About how many bytes this holds in memory.
  public var byteEstimate: Int {
    let integers = [times, sequences, durations, lines].reduce(0) { $0 + $1.byteCount }
    let texts = messages.byteCount + payloads.byteCount + attachments.byteCount
    return terms.reduce(integers + texts + ids.byteCount + tags.byteCount) { $0 + $1.byteCount }
  }

  /// Adds what is known of a run of the program. Of several descriptions of it, one that says something of the program or
  /// the machine counts, then the one with the earlier start.
  public mutating func add(_ session: SessionInfo) {
    sessions.add(session)
  }

  /// Says where records came from. Stretches that adjoin are one.
  public mutating func add(_ source: SegmentSource) {
    stretches.append(source)
  }

  /// Says that the segment stands for another, whose records it has or whose records are to be gone.
  public mutating func add(parent: UniqueID) {
    parents.append(parent)
  }

  /// Adds a record. There may be at most 1,048,576.
  public mutating func append(_ record: Record) {
    var batch = RecordBatch()
    swap(&batch, &single)
    batch.removeAll()
    batch.append(record)
    append(batch, rows: 0..<1)
    swap(&batch, &single)
  }

  /// Adds some records of a batch. There may be at most 1,048,576.
  package mutating func append(_ batch: borrowing RecordBatch, rows: Range<Int>) {
    precondition(
      rows.count <= SegmentFormat.maximumRowCount - rowCount,
      "a segment has at most 1,048,576 rows")
    for row in rows { append(batch, row) }
  }

  private mutating func append(_ batch: borrowing RecordBatch, _ index: Int) {
    let row = rowCount
    rowCount += 1
    let head = batch.rows[index]
    digest &+= head.digest

    ids.append(head.id, session: head.session, sequence: head.sequence)
    times.append(head.time, row: row)
    sequences.append(Int64(bitPattern: head.sequence), row: row)
    if head.session.bits == lastPlace?.session {
      terms[Int(FieldNumber.session.rawValue)].appendSame(row: row)
    } else {
      let term = Term.identity(head.session).encoded()
      terms[Int(FieldNumber.session.rawValue)].append(term.rawSpan, row: row)
    }
    noteOrder(of: head)
    tags.beginRow(row)
    var hasPayload = false
    for place in batch.parts(ofRow: index) {
      let part = batch.parts[place]
      switch part.field {
      case .message: messages.append(batch[part.value])
      case .payload:
        hasPayload = true
        payloads.append(batch[part.value])
      case .attachments:
        attachments.pad(to: row)
        attachments.append(batch[part.value])
      case .duration:
        durations.append(batch[part.value].littleEndian(Int64.self, at: 0), row: row)
      case .line: lines.append(batch[part.value].littleEndian(Int64.self, at: 0), row: row)
      case .tag: tags.append(batch[part.key], batch[part.value])
      default: terms[Int(part.field.rawValue)].append(batch[part.value], row: row)
      }
    }
    if !hasPayload { payloads.appendEmpty() }
    tags.endRow()
  }

  private mutating func noteOrder(of row: RecordBatch.Row) {
    let place = (row.time, row.session.bits, row.sequence)
    if let lastPlace, place < lastPlace { isInOrder = false }
    lastPlace = place
  }

  /// The digest of one record. The sum over records, with wrapping addition, is that of a segment of them.
  package static func digest(of record: Record) -> UInt64 {
    var batch = RecordBatch()
    batch.append(record)
    return batch.rows[0].digest
  }
}
