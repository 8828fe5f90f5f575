/// The columns of a segment that records are put together from.
final class RecordColumns: Sendable {
  let file: SegmentFile
  let rowCount: Int
  let ids: IdentityColumn
  let times: IntegerColumn
  let sequences: IntegerColumn
  /// Those of fields whose values are terms.
  let terms: [(field: FieldNumber, column: TermColumn)]
  let messages: TextColumn
  let payloads: TextColumn?
  let attachments: TextColumn?
  let durations: IntegerColumn?
  let lines: IntegerColumn?
  let tagOrders: TermColumn?
  let tags: [(key: String, column: SegmentColumn)]

  /// Opens every column of `segment`.
  init(_ segment: Segment) throws(SegmentError) {
    file = segment.file
    rowCount = segment.rowCount
    guard case .identities(let ids) = try segment.column(number: .id)
    else { throw segment.missing(.id) }
    self.ids = ids
    times = try segment.integers(.time)
    sequences = try segment.integers(.sequence)
    guard let messages = try segment.optionalTexts(.message)
    else { throw segment.missing(.message) }
    self.messages = messages
    payloads = try segment.optionalTexts(.payload)
    attachments = try segment.optionalTexts(.attachments)
    durations = try segment.optionalIntegers(.duration)
    lines = try segment.optionalIntegers(.line)
    var terms: [(FieldNumber, TermColumn)] = []
    for field: FieldNumber in [.session, .level, .event, .version] {
      terms.append((field, try segment.terms(field)))
    }
    for field: FieldNumber in [
      .scopes, .span, .exit, .exitReason, .function, .file, .externalID,
    ] {
      if let column = try segment.optionalTerms(field) { terms.append((field, column)) }
    }
    self.terms = terms
    tagOrders = try segment.optionalTerms(.tagOrder)
    var tags: [(String, SegmentColumn)] = []
    for position in segment.directory.columns.indices {
      guard let key = segment.directory.columns[position].tagKey else { continue }
      tags.append((key, try segment.column(at: position)))
    }
    self.tags = tags
  }
}
