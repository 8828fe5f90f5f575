internal import JournalKit

/// Computes the sum of the digests of a segment's records from its columns, without making records of them, and looks
/// whether they are complete and in order.
struct SegmentDigester {
  /// The sum, once all granules have been added.
  private(set) var digest: UInt64 = 0
  /// Whether no record so far comes before the one ahead of it.
  private(set) var isInOrder = true

  private let segment: Segment
  private let columns: [Column]
  private let ids: IdentityColumn
  private let times: IntegerColumn
  private let sequences: IntegerColumn
  private let sessions: TermColumn
  /// By code less 1.
  private let sessionIDs: [UInt128]
  /// By code less 1 of the column of tag orders.
  private let orders: [TagSum]
  private var last: (time: Int64, session: UInt32, sequence: UInt64)?

  /// The granule at hand: of each row the seed of its parts, and its tags.
  private var seeds: [UInt64] = []
  private var tags: [TagSum] = []
  private var codes: [UInt32] = []
  private var orderCodes: [UInt32] = []
  private var integers: [Int64] = []
  private var sequenceNumbers: [Int64] = []
  private var identities: [UInt128] = []
  private var texts = TextGranule()
  private var scratch = ByteWriter()

  private struct Column {
    let field: FieldNumber
    let column: SegmentColumn
    /// The hash of a tag's key.
    let key: UInt64
    /// Of terms, by code less 1, the hash of each.
    let hashes: [UInt64]
  }

  /// The keys of tags: how many, their sum, and what stands for their order.
  private struct TagSum {
    var count = 0
    var sum: UInt64 = 0
    var order: UInt64 = 0

    mutating func append(_ key: UInt64) {
      count += 1
      sum &+= key
      order = DigestHash.folded(order, key)
    }
  }

  /// Opens every column and reads the dictionaries.
  init(_ segment: Segment) throws(SegmentError) {
    self.segment = segment
    guard case .identities(let ids) = try segment.column(number: .id)
    else { throw segment.missing(.id) }
    self.ids = ids
    times = try segment.integers(.time)
    sequences = try segment.integers(.sequence)
    sessions = try segment.terms(.session)
    for field: FieldNumber in [.level, .event, .version] { _ = try segment.terms(field) }
    guard case .texts = try segment.column(number: .message) else {
      throw segment.missing(.message)
    }
    sessionIDs = try sessions.terms.map { term throws(SegmentError) in
      guard case .identity(let id) = term else { throw segment.missing(.session) }
      return id.bits
    }
    orders =
      try segment.optionalTerms(.tagOrder)?.terms.map { term throws(SegmentError) in
        guard case .list(let keys) = term else { throw segment.missing(.tagOrder) }
        var tags = TagSum()
        for key in keys { tags.append(Self.hash(ofKey: key)) }
        return tags
      } ?? []
    var columns: [Column] = []
    for (position, entry) in segment.directory.columns.enumerated() {
      columns.append(try Self.column(at: position, entry, segment))
    }
    self.columns = columns
  }

  private static func column(
    at position: Int, _ entry: SegmentDirectory.Column, _ segment: Segment
  ) throws(SegmentError) -> Column {
    let column = try segment.column(at: position)
    let key = entry.tagKey.map { hash(ofKey: $0) } ?? DigestHash.seed(of: entry.field)
    var hashes: [UInt64] = []
    if case .terms(let terms) = column {
      let kinds = entry.field.termKinds
      try terms.forEachEncodedTerm { term in
        guard term.byteCount > 0, kinds.contains(where: { $0.rawValue == term[0] })
        else { return false }
        hashes.append(term.hash(seed: key))
        return true
      }
    }
    return Column(field: entry.field, column: column, key: key, hashes: hashes)
  }

  private static func hash(ofKey key: String) -> UInt64 {
    Array(key.utf8).rawSpan.hash(seed: DigestHash.seed(of: .tag))
  }
}

// MARK: - Granules

extension SegmentDigester {
  /// Adds the records of a granule. Granules must come in order.
  mutating func add(granule: Int) throws(SegmentError) {
    let rows = segment.rows(ofGranule: granule)
    try addSeeds(granule, rows)
    tags = [TagSum](repeating: TagSum(), count: rows.count)
    orderCodes.removeAll(keepingCapacity: true)
    for column in columns { try add(column, granule) }
    for row in 0..<rows.count where tags[row].count > 1 || !orderCodes.isEmpty {
      try addOrder(row, rows)
    }
  }

  private mutating func addSeeds(_ granule: Int, _ rows: Range<Int>) throws(SegmentError) {
    try ids.decode(granule: granule, into: &identities)
    try times.decode(granule: granule, into: &integers)
    try sequences.decode(granule: granule, into: &sequenceNumbers)
    try sessions.decode(granule: granule, into: &codes)
    seeds.removeAll(keepingCapacity: true)
    for row in 0..<rows.count {
      guard codes[row] > 0 else { throw incomplete(rows.lowerBound + row) }
      let sequence = UInt64(bitPattern: sequenceNumbers[row])
      // Terms ascend, so codes order sessions as their identities do.
      let place = (integers[row], codes[row], sequence)
      if let last, place < last { isInOrder = false }
      last = place
      let seed = DigestHash.seed(
        id: identities[row], session: sessionIDs[Int(codes[row]) - 1], time: integers[row],
        sequence: sequence)
      seeds.append(seed)
      digest &+= seed
    }
  }

  private mutating func add(_ column: Column, _ granule: Int) throws(SegmentError) {
    switch column.column {
    case .identities: break
    case .terms(let terms):
      guard column.field != .session else { break }
      try terms.decode(granule: granule, into: &codes)
      if column.field == .tagOrder { orderCodes = codes } else { try addTerms(column, granule) }
    case .integers(let values):
      guard column.field != .time, column.field != .sequence else { break }
      try forEachValue(of: values, granule) { digester, row, value in
        digester.addPart(row, DigestHash.hash(value, column.field))
      }
    case .numbers(let numbers):
      try forEachValue(of: numbers.integers, granule) { digester, row, value in
        digester.scratch.bytes.removeAll(keepingCapacity: true)
        digester.scratch.term(numbers.value(value))
        let hash = digester.scratch.bytes.rawSpan.hash(seed: column.key)
        digester.addPart(row, hash)
        digester.tags[row].append(column.key)
      }
    case .texts(let texts): try addTexts(texts, column.key, granule)
    }
  }

  /// Adds the terms of `codes`. Every record has the first fields.
  private mutating func addTerms(_ column: Column, _ granule: Int) throws(SegmentError) {
    let isRequired = column.field.rawValue <= FieldNumber.message.rawValue
    let isTag = column.field == .tag
    for row in codes.indices {
      guard codes[row] > 0 else {
        if isRequired { throw incomplete(segment.rows(ofGranule: granule).lowerBound + row) }
        continue
      }
      addPart(row, column.hashes[Int(codes[row]) - 1])
      if isTag { tags[row].append(column.key) }
    }
  }

  private mutating func addTexts(
    _ column: TextColumn, _ seed: UInt64, _ granule: Int
  ) throws(SegmentError) {
    try column.decode(granule: granule, into: &texts)
    for row in 0..<texts.count {
      let range = texts.range(of: row)
      guard !range.isEmpty else { continue }
      let hash = texts.bytes.rawSpan.extracting(range).hash(seed: seed)
      addPart(row, hash)
    }
  }

  /// Calls `body` with each row of the granule that has a value, and the value.
  private mutating func forEachValue(
    of column: IntegerColumn, _ granule: Int, _ body: (inout Self, Int, Int64) -> Void
  ) throws(SegmentError) {
    try column.decode(granule: granule, into: &integers)
    let presence = try column.presence(granule: granule)
    let values = integers
    for row in values.indices {
      if let presence, presence[row / 64] >> UInt64(row % 64) & 1 == 0 { continue }
      body(&self, row, values[row])
    }
  }

  /// Adds what stands for the order of a row's tags: that of the columns, or one of its own.
  private mutating func addOrder(_ row: Int, _ rows: Range<Int>) throws(SegmentError) {
    var order = tags[row]
    if !orderCodes.isEmpty, orderCodes[row] > 0 {
      order = orders[Int(orderCodes[row]) - 1]
      guard order.count == tags[row].count, order.sum == tags[row].sum
      else { throw segment.error(at: 0, "row \(rows.lowerBound + row) has wrong tags") }
    }
    if order.count > 1 { addPart(row, order.order) }
  }

  @inline(__always)
  private mutating func addPart(_ row: Int, _ hash: UInt64) {
    digest &+= DigestHash.part(seeds[row], hash)
  }

  private func incomplete(_ row: Int) -> SegmentError {
    segment.error(at: 0, "row \(row) is incomplete")
  }
}

extension FieldNumber {
  /// The kinds of term that the field's column can have.
  fileprivate var termKinds: [TermKind] {
    switch self {
    case .session, .span: [.identity]
    case .level: [.level]
    case .version: [.int]
    case .scopes, .tagOrder: [.list]
    case .event, .exit, .exitReason, .function, .file, .externalID: [.string]
    case .tag: [.bool, .int, .double, .string, .json]
    case .id, .time, .sequence, .message, .payload, .attachments, .duration, .line: []
    }
  }
}
