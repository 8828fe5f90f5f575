internal import SegmentIndex

/// Reads the columns of one segment that a query needs, a granule at a time.
///
/// Each field gets a slot, and operands are rewritten to read slots (`Operand.column`) instead of fields.
/// A slot is decoded only when something asks for it in the current granule. The reader is itself the row
/// `row` of that granule, so that evaluating a row allocates nothing and copies no reference.
struct GranuleReader: RowValues {
  let segment: Segment
  private let sessions: SessionTable
  private(set) var slots: [Slot] = []
  /// The fields that the slots are of; there are few.
  private var fields: [FieldReference] = []
  private(set) var granule = -1
  private(set) var messages = TextGranule()
  private var payloads = TextGranule()
  /// The row, counted from the granule's first.
  var row = 0

  init(_ segment: Segment, _ sessions: SessionTable) {
    self.segment = segment
    self.sessions = sessions
  }

  // MARK: Slots

  /// The slot of a field, made if there is none yet.
  mutating func slot(of field: FieldReference) throws(SegmentError) -> Int {
    if let index = fields.firstIndex(of: field) { return index }
    let source = try source(of: field)
    var slot = Slot(source: source)
    if case .field(let name) = field, name.isOfSession, case .terms(let column) = source {
      slot.values = [nil]
      for term in try column.terms {
        guard case .identity(let session) = term else { continue }
        slot.values?.append(sessions.value(of: name, session: session))
      }
    }
    slots.append(slot)
    fields.append(field)
    return slots.count - 1
  }

  private func source(of field: FieldReference) throws(SegmentError) -> Source {
    switch field {
    case .tag(let key): return try source(.tag(key))
    case .payload(let path): return try json(.payload, path)
    case .field(let field):
      switch field {
      case .payload: return try json(.payload, [])
      case .attachments: return try json(.attachments, AttachmentList.countPath)
      case .id: return try source(.id)
      case .time: return try source(.time, .time)
      case .duration: return try source(.duration, .duration)
      case .sequence: return try source(.sequence)
      case .line: return try source(.line)
      case .level: return try source(.level)
      case .event: return try source(.event)
      case .version: return try source(.version)
      case .message: return try source(.message)
      case .scope: return try source(.scopes)
      case .span: return try source(.span)
      case .exit: return try source(.exit)
      case .reason: return try source(.exitReason)
      case .function: return try source(.function)
      case .file: return try source(.file)
      case .extid: return try source(.externalID)
      case .session, .sessionID, .sessionApp, .sessionOS, .sessionDevice, .sessionStart:
        return try source(.session)
      }
    }
  }

  private func source(
    _ field: SegmentField, _ kind: IntegerKind = .number
  ) throws(SegmentError) -> Source {
    switch try segment.column(field) {
    case nil: .absent
    case .integers(let column): .integers(column, kind)
    case .terms(let column): .terms(column)
    case .texts(let column): .message(column)
    case .identities(let column): .identities(column)
    case .numbers(let column): .numbers(column)
    }
  }

  private func json(
    _ field: SegmentField, _ path: [Path.Segment]
  ) throws(SegmentError) -> Source {
    guard case .texts(let column) = try segment.column(field) else { return .absent }
    return .payload(column, PayloadPlan(path, try column.patterns))
  }

  /// Decodes the dictionary of a slot of terms, so that rows can be read from it.
  mutating func loadTerms(_ index: Int) throws(SegmentError) {
    guard case .terms(let column) = slots[index].source, slots[index].values == nil,
      slots[index].terms == nil
    else { return }
    let terms = try column.terms
    if case .list? = terms.first {
      // Made once, because that takes memory.
      slots[index].values = [nil] + terms.map(Value.init)
    } else {
      slots[index].terms = terms
    }
  }

  /// How many codes a slot of terms has; 1 for other slots.
  func codeCount(_ index: Int) -> Int {
    guard case .terms(let column) = slots[index].source else { return 1 }
    return column.termCount + 1
  }

  /// Whether a slot's values are lists.
  func hasLists(_ index: Int) -> Bool {
    if case .list?? = slots[index].values?.first(where: { $0 != nil }) { true } else { false }
  }

  /// The value that a code of a slot of terms stands for.
  func value(_ index: Int, code: Int) -> Value? {
    if let values = slots[index].values { return values[code] }
    return code == 0 ? nil : slots[index].terms.map { Value($0[code - 1]) }
  }

  // MARK: Granules

  /// Moves to another granule; nothing is decoded yet.
  mutating func move(to granule: Int) {
    self.granule = granule
  }

  /// Decodes a slot for these rows of the current granule, or for more.
  mutating func load(_ index: Int, _ rows: RowBits) throws(SegmentError) {
    if slots[index].granule == granule {
      guard let loaded = slots[index].rows, !loaded.contains(rows) else { return }
    }
    slots[index].granule = -1
    noteRead(index)
    // A few rows are found one by one, which costs about eight times as much for each.
    let isSparse = rows.count <= segment.rows(ofGranule: granule).count / 8
    slots[index].rows = isSparse ? rows : nil
    switch slots[index].source {
    case .absent: break
    case .integers(let column, _): try load(index, column, rows, isSparse)
    case .numbers(let column): try load(index, column.integers, rows, isSparse)
    case .terms(let column):
      if isSparse {
        try column.decode(rows.words, ofGranule: granule, into: &slots[index].codes)
      } else {
        try column.decode(granule: granule, into: &slots[index].codes)
      }
    case .message(let column):
      slots[index].rows = rows
      try column.decode(granule: granule, into: &messages, rows: rows.words)
    case .payload(let column, let plan):
      try load(index, column, plan, rows)
    case .identities(let column):
      slots[index].rows = nil
      try column.decode(granule: granule, into: &slots[index].identities)
    }
    slots[index].granule = granule
  }

  private mutating func load(
    _ index: Int, _ column: IntegerColumn, _ rows: RowBits, _ isSparse: Bool
  ) throws(SegmentError) {
    guard isSparse else {
      try column.decode(granule: granule, into: &slots[index].integers)
      slots[index].presence = try column.presence(granule: granule)
      return
    }
    slots[index].presence = try column.decode(
      rows.words, ofGranule: granule, into: &slots[index].integers)
  }

  /// Decodes what is at the path of a slot: of most payloads only the number there, of others the text.
  private mutating func load(
    _ index: Int, _ column: TextColumn, _ plan: PayloadPlan, _ rows: RowBits
  ) throws(SegmentError) {
    var integers: [Int64] = []
    swap(&integers, &slots[index].integers)
    try column.decode(
      slots: plan.slots, granule: granule, codes: &slots[index].codes, numbers: &integers)
    slots[index].rows = nil
    slots[index].rowValues = nil
    var presence: [UInt64]?
    let isWhole = plan.wholeNumbers(slots[index].codes, &integers, &presence)
    swap(&integers, &slots[index].integers)
    slots[index].presence = presence
    if isWhole { return }
    slots[index].rows = rows
    if plan.needsTexts {
      try column.decode(
        granule: granule, into: &payloads, wanted: plan.wantsText, rows: rows.words)
    }
    var values = [Value?](repeating: nil, count: slots[index].codes.count)
    for row in rows {
      let code = slots[index].codes[row]
      values[row] =
        plan.value(code, UInt64(bitPattern: slots[index].integers[row]))
        ?? (plan.wantsText[Int(code)]
          ? jsonValue(at: plan.path, in: payloads.bytes.span.extracting(payloads.range(of: row)))
          : nil)
    }
    slots[index].rowValues = values
  }

  /// Decodes of a slot of messages only which pattern each row has.
  mutating func loadPatterns(_ index: Int) throws(SegmentError) {
    guard slots[index].codesGranule != granule, case .message(let column) = slots[index].source
    else { return }
    noteRead(index)
    try column.decode(codes: &slots[index].codes, granule: granule)
    slots[index].codesGranule = granule
  }

  /// The same for some rows of the granule; others may have any.
  mutating func loadPatterns(_ index: Int, of rows: RowBits) throws(SegmentError) {
    let rows = rows.rows
    guard rows.count <= 64, slots[index].codesGranule != granule,
      case .message(let column) = slots[index].source
    else { return try loadPatterns(index) }
    slots[index].codesGranule = -1
    try column.decode(codes: &slots[index].codes, of: rows, granule: granule)
  }

  /// The messages of some rows of the current granule; others are empty, or there too.
  mutating func messages(_ index: Int, of rows: RowBits) throws(SegmentError) -> TextGranule {
    try load(index, rows)
    return messages
  }

  /// Notes that the current granule of a slot is read.
  mutating func noteRead(_ index: Int) {
    slots[index].readGranule = granule
  }

  /// How many bytes of the current granule have been read for slots; an estimate, because not all of each may have been.
  var readByteCount: Int {
    slots.reduce(0) { sum, slot in
      guard slot.readGranule == granule else { return sum }
      switch slot.source {
      case .absent: return sum
      case .integers(let column, _): return sum + column.byteCount(granule: granule)
      case .numbers(let column): return sum + column.integers.byteCount(granule: granule)
      case .terms(let column): return sum + column.byteCount(granule: granule)
      case .message(let column), .payload(let column, _):
        return sum + column.byteCount(granule: granule)
      case .identities(let column): return sum + column.byteCount(granule: granule)
      }
    }
  }

  // MARK: Rows

  func value(of field: FieldReference) -> Value? {
    preconditionFailure("operands of a scan read slots")
  }

  /// The kind of the integers that a slot holds for the current granule; nil when it holds something else.
  func integerKind(_ index: Int) -> IntegerKind? {
    switch slots[index].kind {
    case .integers(let kind): kind
    case .payload: slots[index].rowValues == nil ? .number : nil
    case .absent, .numbers, .terms, .message, .identities: nil
    }
  }

  /// The value of a slot in row `row`. The slot must have been loaded for it.
  func column(_ index: Int) -> Value? {
    switch slots[index].kind {
    case .absent: return nil
    case .integers(let kind):
      return isPresent(index) ? kind.value(slots[index].integers[row]) : nil
    case .numbers:
      guard isPresent(index), case .numbers(let column) = slots[index].source else { return nil }
      return .double(column.value(slots[index].integers[row]))
    case .terms: return value(index, code: Int(slots[index].codes[row]))
    case .message: return .string(messages.text(of: row))
    case .payload:
      if let values = slots[index].rowValues { return values[row] }
      return isPresent(index) ? .int(slots[index].integers[row]) : nil
    case .identities: return .uuid(UniqueID(bits: slots[index].identities[row]))
    }
  }

  /// Where the row stands in the order of time, read from three slots.
  func position(_ slots: (time: Int, session: Int, sequence: Int)) -> RowPosition {
    var position = RowPosition(
      time: self.slots[slots.time].integers[row],
      sequence: UInt64(bitPattern: self.slots[slots.sequence].integers[row]))
    if case .uuid(let session)? = column(slots.session) { position.session = session.bits }
    return position
  }

  private func isPresent(_ index: Int) -> Bool {
    guard let presence = slots[index].presence else { return true }
    return presence[row / 64] >> UInt64(row % 64) & 1 == 1
  }
}

extension Field {
  /// Whether it is looked up by the record's session.
  var isOfSession: Bool {
    switch self {
    case .sessionApp, .sessionOS, .sessionDevice, .sessionStart: true
    default: false
    }
  }
}
