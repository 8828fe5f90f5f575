internal import SegmentIndex

/// Reads the columns of one segment that a query needs, a granule at a time.
///
/// Each field gets a slot, and operands are rewritten to read slots (`Operand.column`) instead of fields.
/// A slot is decoded only when something asks for it in the current granule. The reader is itself the row
/// `row` of that granule, so that evaluating a row allocates nothing and copies no reference.
struct GranuleReader: RowValues {
  /// Where a slot's values come from.
  enum Source {
    /// No row of the segment has the field.
    case absent
    case integers(IntegerColumn, IntegerKind)
    case numbers(NumberColumn)
    case terms(TermColumn)
    case message(TextColumn)
    case payload(TextColumn, PayloadPlan)
    case identities(IdentityColumn)
  }

  /// What a column's 64-bit integers mean.
  enum IntegerKind {
    case time, duration, number

    func value(_ integer: Int64) -> Value {
      switch self {
      case .time: .time(integer)
      case .duration: .duration(integer)
      case .number: .int(integer)
      }
    }
  }

  /// One field in the current granule.
  struct Slot {
    let source: Source
    /// For a field of the session, its value for each session term; for other terms the terms' own values,
    /// once something has asked for them. Code 0 has none.
    var values: [Value?]?
    /// The granule that the following hold.
    fileprivate(set) var granule = -1
    fileprivate(set) var integers: [Int64] = []
    fileprivate(set) var presence: [UInt64]?
    /// Of terms, or of the patterns of texts.
    fileprivate(set) var codes: [UInt32] = []
    fileprivate(set) var identities: [UInt128] = []
    /// Of a path in the payload.
    fileprivate var rowValues: [Value?] = []
    /// The granule that `codes` holds, of texts.
    fileprivate var codesGranule = -1
  }

  let segment: Segment
  private let sessions: SessionTable
  private(set) var slots: [Slot] = []
  private var indices: [FieldReference: Int] = [:]
  private var granule = -1
  private(set) var messages = TextGranule()
  private var payloads = TextGranule()
  private var numbers: [UInt64] = []
  /// The row, counted from the granule's first.
  var row = 0

  init(_ segment: Segment, _ sessions: SessionTable) {
    self.segment = segment
    self.sessions = sessions
  }

  // MARK: Slots

  /// The slot of a field, made if there is none yet.
  mutating func slot(of field: FieldReference) throws(SegmentError) -> Int {
    if let index = indices[field] { return index }
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
    indices[field] = slots.count - 1
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
  mutating func loadValues(_ index: Int) throws(SegmentError) {
    guard case .terms(let column) = slots[index].source, slots[index].values == nil else { return }
    slots[index].values = [nil] + (try column.terms).map(Value.init)
  }

  // MARK: Granules

  /// Moves to another granule; nothing is decoded yet.
  mutating func move(to granule: Int) {
    self.granule = granule
  }

  /// Decodes a slot for the current granule.
  mutating func load(_ index: Int) throws(SegmentError) {
    guard slots[index].granule != granule else { return }
    switch slots[index].source {
    case .absent: break
    case .integers(let column, _):
      try column.decode(granule: granule, into: &slots[index].integers)
      slots[index].presence = try column.presence(granule: granule)
    case .numbers(let column):
      try column.integers.decode(granule: granule, into: &slots[index].integers)
      slots[index].presence = try column.integers.presence(granule: granule)
    case .terms(let column):
      try column.decode(granule: granule, into: &slots[index].codes)
    case .message(let column): try column.decode(granule: granule, into: &messages)
    case .payload(let column, let plan): try load(index, column, plan)
    case .identities(let column):
      try column.decode(granule: granule, into: &slots[index].identities)
    }
    slots[index].granule = granule
  }

  /// Decodes what is at the path of a slot: of most payloads only the number there, of others the text.
  private mutating func load(
    _ index: Int, _ column: TextColumn, _ plan: PayloadPlan
  ) throws(SegmentError) {
    try column.decode(
      slots: plan.slots, granule: granule, codes: &slots[index].codes, numbers: &numbers)
    if plan.needsTexts {
      try column.decode(granule: granule, into: &payloads, wanted: plan.wantsText)
    }
    slots[index].rowValues.removeAll(keepingCapacity: true)
    for (row, code) in slots[index].codes.enumerated() {
      let value =
        plan.value(code, numbers[row])
        ?? (plan.wantsText[Int(code)]
          ? jsonValue(at: plan.path, in: payloads.bytes.span.extracting(payloads.range(of: row)))
          : nil)
      slots[index].rowValues.append(value)
    }
  }

  /// Decodes of a slot of messages only which pattern each row has.
  mutating func loadPatterns(_ index: Int) throws(SegmentError) {
    guard slots[index].codesGranule != granule, case .message(let column) = slots[index].source
    else { return }
    try column.decode(codes: &slots[index].codes, granule: granule)
    slots[index].codesGranule = granule
  }

  /// The messages of the current granule whose patterns are wanted; the others are empty, or all are there.
  mutating func messages(_ index: Int, wanted: [Bool]) throws(SegmentError) -> TextGranule {
    guard slots[index].granule != granule, case .message(let column) = slots[index].source
    else { return messages }
    try column.decode(granule: granule, into: &payloads, wanted: wanted)
    return payloads
  }

  // MARK: Rows

  func value(of field: FieldReference) -> Value? {
    preconditionFailure("operands of a scan read slots")
  }

  /// The value of a slot in row `row`. The slot must have been loaded.
  func column(_ index: Int) -> Value? {
    switch slots[index].source {
    case .absent: nil
    case .integers(_, let kind):
      isPresent(index) ? kind.value(slots[index].integers[row]) : nil
    case .numbers(let column):
      isPresent(index) ? .double(column.value(slots[index].integers[row])) : nil
    case .terms: slots[index].values?[Int(slots[index].codes[row])]
    case .message:
      .string(String(decoding: messages.bytes[messages.range(of: row)], as: UTF8.self))
    case .payload: slots[index].rowValues[row]
    case .identities: .uuid(UniqueID(bits: slots[index].identities[row]))
    }
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

extension Value {
  /// The value that a dictionary's term stands for.
  init(_ term: Term) {
    switch term {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text)
    case .json(let text): self = .json(text)
    case .level(let level): self = .level(level)
    case .identity(let id): self = .uuid(id)
    case .list(let texts): self = .list(texts.map(Value.string))
    }
  }
}
