internal import SegmentIndex

/// A condition made ready for one segment: what can be decided once for each distinct term is a table,
/// and fields are slots of the segment's reader.
indirect enum SegmentFilter {
  case always(Bool)
  /// The row's code is in the set.
  case codes(slot: Int, CodeSet)
  /// The row has an integer in the range.
  case integers(slot: Int, ClosedRange<Int64>)
  /// The message contains the text.
  case message(slot: Int, TextSearch)
  case identities(slot: Int, ClosedRange<UniqueID>)
  /// Anything else, row by row; it reads these slots.
  case rows(Condition, slots: [Int])
  case not(SegmentFilter)
  case and([SegmentFilter])
  case or([SegmentFilter])

  /// Codes of a column of terms.
  enum CodeSet {
    case none
    case one(UInt32)
    /// By code; code 0 is false.
    case table([Bool])
  }
}

// MARK: Making

extension SegmentFilter {
  /// Makes `condition` ready for the segment of `reader`, in which its fields get slots.
  init(_ condition: Condition, _ reader: inout GranuleReader) throws(SegmentError) {
    switch condition {
    case .always(let value): self = .always(value)
    case .not(let inner): self = .not(try SegmentFilter(inner, &reader))
    case .or(let parts): self = .or(try Self.made(parts, &reader))
    case .and(let parts):
      // Cheap tests first, so that the dear ones see few rows.
      self = .and(try Self.made(parts, &reader).sorted { $0.cost < $1.cost })
    case .test(.field(let field), let predicate):
      self = try Self.test(field, predicate, reader.slot(of: field), &reader)
    case .has(.field(let field)):
      self = try Self.presence(of: reader.slot(of: field), &reader)
    case .test, .has, .compare: self = try Self.byRow(condition, &reader)
    }
  }

  private static func made(
    _ parts: [Condition], _ reader: inout GranuleReader
  ) throws(SegmentError) -> [SegmentFilter] {
    var filters: [SegmentFilter] = []
    for part in parts { filters.append(try SegmentFilter(part, &reader)) }
    return filters
  }

  private static func test(
    _ field: FieldReference, _ predicate: Predicate, _ slot: Int, _ reader: inout GranuleReader
  ) throws(SegmentError) -> SegmentFilter {
    switch reader.slots[slot].source {
    case .absent: return .always(false)
    case .terms(let column):
      // Scopes are lists of texts and not texts.
      if reader.slots[slot].values == nil, field != .field(.scope),
        let set = try predicate.exactCodes(column)
      {
        return .codes(slot: slot, set)
      }
      try reader.loadValues(slot)
      let values = reader.slots[slot].values ?? []
      return .codes(slot: slot, CodeSet(values.map { $0.map(predicate.holds) ?? false }))
    case .integers(_, let kind):
      if let range = predicate.integerRange(kind) { return .integers(slot: slot, range) }
    case .message:
      if case .contains(let search) = predicate { return .message(slot: slot, search) }
    case .identities:
      if case .identity(let range) = predicate { return .identities(slot: slot, range) }
      if case .order(.equal, .uuid(let id)) = predicate {
        return .identities(slot: slot, id...id)
      }
    case .payload: break
    }
    return .rows(.test(.column(slot), predicate), slots: [slot])
  }

  private static func presence(
    of slot: Int, _ reader: inout GranuleReader
  ) throws(SegmentError) -> SegmentFilter {
    switch reader.slots[slot].source {
    case .absent: return .always(false)
    case .integers: return .integers(slot: slot, .min ... .max)
    case .message, .identities: return .always(true)
    case .terms(let column):
      let values = reader.slots[slot].values
      let table = values.map { $0.map { $0 != nil } }
      let all = [false] + [Bool](repeating: true, count: column.termCount)
      return .codes(slot: slot, CodeSet(table ?? all))
    case .payload: return .rows(.has(.column(slot)), slots: [slot])
    }
  }

  private static func byRow(
    _ condition: Condition, _ reader: inout GranuleReader
  ) throws(SegmentError) -> SegmentFilter {
    var slots: [Int] = []
    let rewritten = try condition.readingSlots(of: &reader, &slots)
    return .rows(rewritten, slots: slots)
  }

  /// How much work a row is, roughly, in nanoseconds.
  private var cost: Int {
    switch self {
    case .always: 0
    case .codes, .integers: 1
    case .identities: 5
    case .message: 100
    case .rows: 1_000
    case .not(let inner): inner.cost
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.cost }
    }
  }
}

extension SegmentFilter.CodeSet {
  /// The codes that the table, by code, is true of.
  init(_ table: [Bool]) {
    let first = table.firstIndex(of: true)
    switch first {
    case nil: self = .none
    case let first? where first == table.lastIndex(of: true): self = .one(UInt32(first))
    default: self = .table(table)
    }
  }

  /// The codes, ascending, when there are at most `limit`.
  func codes(atMost limit: Int) -> [Int]? {
    switch self {
    case .none: return []
    case .one(let code): return [Int(code)]
    case .table(let table):
      var codes: [Int] = []
      for (code, isMember) in table.enumerated() where isMember {
        guard codes.count < limit else { return nil }
        codes.append(code)
      }
      return codes
    }
  }
}

extension Predicate {
  /// The codes that pass, when the predicate names the terms themselves, so that the dictionary need not
  /// be decoded; nil when it does not.
  fileprivate func exactCodes(
    _ column: TermColumn
  ) throws(SegmentError) -> SegmentFilter.CodeSet? {
    guard let terms = exactTerms else { return nil }
    var codes: Set<UInt32> = []
    for term in terms {
      if let index = try column.index(of: term) { codes.insert(UInt32(index + 1)) }
    }
    guard let first = codes.first else { return SegmentFilter.CodeSet.none }
    if codes.count == 1 { return .one(first) }
    var table = [Bool](repeating: false, count: column.termCount + 1)
    for code in codes { table[Int(code)] = true }
    return .table(table)
  }

  /// The only terms that pass; nil when there can be others.
  private var exactTerms: [Term]? {
    switch self {
    case .order(.equal, let value):
      switch value {
      case .bool(let value): return [.bool(value)]
      case .string(let text): return [.string(text)]
      case .uuid(let id): return [.identity(id)]
      case .int, .double, .size: return numericTerms(value)
      default: return nil
      }
    case .any(let predicates):
      var terms: [Term] = []
      for predicate in predicates {
        guard let more = predicate.exactTerms else { return nil }
        terms += more
      }
      return terms
    default: return nil
    }
  }

  /// A number's spellings: a whole one can be stored as a double, zero with either sign.
  private func numericTerms(_ value: Value) -> [Term] {
    var terms: [Term] = []
    if case .double(let double) = value {
      guard !double.isNaN else { return [] }
      terms = double == 0 ? [.double(0), .double(-0.0)] : [.double(double)]
      if let whole = Int64(exactly: double) { terms.append(.int(whole)) }
    } else if let whole = value.wholeNumber {
      terms = [.int(whole)]
      if Int64(exactly: Double(whole)) == whole { terms.append(.double(Double(whole))) }
      if whole == 0 { terms.append(.double(-0.0)) }
    }
    return terms
  }

  /// The integers that pass, when they are a range; nil when they are not, or the constant is of a type
  /// that does not compare with the column's.
  fileprivate func integerRange(_ kind: GranuleReader.IntegerKind) -> ClosedRange<Int64>? {
    guard case .order(let comparison, let constant) = self else { return nil }
    let bound: Int64
    switch (kind, constant) {
    case (.time, .time(let value)), (.duration, .duration(let value)), (.number, .int(let value)),
      (.number, .size(let value)):
      bound = value
    default: return nil
    }
    switch comparison {
    case .equal: return bound...bound
    case .lessOrEqual: return .min...bound
    case .greaterOrEqual: return bound ... .max
    case .less: return bound.adding(-1).map { .min...$0 }
    case .greater: return bound.adding(1).map { $0 ... .max }
    case .contains, .matches: return nil
    }
  }
}

// MARK: Running

extension SegmentFilter {
  /// Takes away the rows that do not pass. Decodes only what it must.
  func narrow(_ rows: inout RowBits, _ reader: inout GranuleReader) throws(SegmentError) {
    guard !rows.isEmpty else { return }
    switch self {
    case .always(let value):
      if !value { rows.removeAll() }
    case .codes(let slot, let set):
      try reader.load(slot)
      set.narrow(&rows, reader.slots[slot].codes)
    case .integers(let slot, let range):
      try reader.load(slot)
      rows.formIntersection(reader.slots[slot].presence)
      let values = reader.slots[slot].integers
      rows.filter { range.contains(values[$0]) }
    case .message(let slot, let search):
      try reader.load(slot)
      let messages = reader.messages
      rows.filter { search.isFound(in: messages.bytes.span.extracting(messages.range(of: $0))) }
    case .identities(let slot, let range):
      try reader.load(slot)
      let identities = reader.slots[slot].identities
      let bits = range.lowerBound.bits...range.upperBound.bits
      rows.filter { bits.contains(identities[$0]) }
    case .rows(let condition, let slots):
      for slot in slots {
        try reader.load(slot)
        try reader.loadValues(slot)
      }
      rows.filter { row in
        reader.row = row
        return condition.holds(for: reader)
      }
    case .not(let inner):
      var passed = rows
      try inner.narrow(&passed, &reader)
      rows.subtract(passed)
    case .and(let parts):
      for part in parts { try part.narrow(&rows, &reader) }
    case .or(let parts):
      var passed = rows
      passed.removeAll()
      for part in parts {
        var more = rows
        try part.narrow(&more, &reader)
        passed.formUnion(more)
        rows.subtract(more)
      }
      rows = passed
    }
  }
}

extension SegmentFilter.CodeSet {
  fileprivate func narrow(_ rows: inout RowBits, _ codes: [UInt32]) {
    switch self {
    case .none: rows.removeAll()
    case .one(let code): rows.filter { codes[$0] == code }
    case .table(let table): rows.filter { table[Int(codes[$0])] }
    }
  }
}

// MARK: Slots

extension Operand {
  /// The operand with its fields read from slots, which are added to `slots`.
  func readingSlots(
    of reader: inout GranuleReader, _ slots: inout [Int]
  ) throws(SegmentError) -> Operand {
    switch self {
    case .constant, .column: return self
    case .field(let field):
      let slot = try reader.slot(of: field)
      if !slots.contains(slot) { slots.append(slot) }
      return .column(slot)
    case .negate(let inner): return .negate(try inner.readingSlots(of: &reader, &slots))
    case .truth(let condition): return .truth(try condition.readingSlots(of: &reader, &slots))
    case .bin(let value, let width, let zone):
      return .bin(try value.readingSlots(of: &reader, &slots), width, zone)
    case .call(let function, let arguments):
      var rewritten: [Operand] = []
      for argument in arguments { rewritten.append(try argument.readingSlots(of: &reader, &slots)) }
      return .call(function, rewritten)
    case .arithmetic(let first, let steps):
      let first = try first.readingSlots(of: &reader, &slots)
      var rewritten: [Step] = []
      for step in steps {
        let operand = try step.operand.readingSlots(of: &reader, &slots)
        rewritten.append(Step(operation: step.operation, operand: operand))
      }
      return .arithmetic(first, rewritten)
    }
  }
}

extension Condition {
  /// The condition with its fields read from slots, which are added to `slots`.
  func readingSlots(
    of reader: inout GranuleReader, _ slots: inout [Int]
  ) throws(SegmentError) -> Condition {
    switch self {
    case .always: return self
    case .test(let operand, let predicate):
      return .test(try operand.readingSlots(of: &reader, &slots), predicate)
    case .has(let operand): return .has(try operand.readingSlots(of: &reader, &slots))
    case .compare(let left, let comparison, let right):
      let left = try left.readingSlots(of: &reader, &slots)
      return .compare(left, comparison, try right.readingSlots(of: &reader, &slots))
    case .not(let inner): return .not(try inner.readingSlots(of: &reader, &slots))
    case .and(let parts): return .and(try Self.rewritten(parts, &reader, &slots))
    case .or(let parts): return .or(try Self.rewritten(parts, &reader, &slots))
    }
  }

  private static func rewritten(
    _ parts: [Condition], _ reader: inout GranuleReader, _ slots: inout [Int]
  ) throws(SegmentError) -> [Condition] {
    var rewritten: [Condition] = []
    for part in parts { rewritten.append(try part.readingSlots(of: &reader, &slots)) }
    return rewritten
  }
}
