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
  case message(slot: Int, TextSearch, SearchedPatterns)
  /// A part of the message matches.
  case messageMatch(slot: Int, RegexMatcher)
  /// The value of the operand, which reads these slots, passes a test that is quick for many values.
  case values(Operand, slots: [Int], (Value) -> Bool)
  case identities(slot: Int, ClosedRange<UniqueID>)
  /// Anything else, row by row; it reads these slots.
  case rows(Condition, slots: [Int])
  case not(SegmentFilter)
  case and([SegmentFilter])
  case or([SegmentFilter])

  /// Codes of a column of terms.
  enum CodeSet {
    case none
    /// Those from one to another.
    case range(ClosedRange<UInt32>)
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
    case .test(let operand, let predicate):
      var slots: [Int] = []
      let operand = try operand.readingSlots(of: &reader, &slots)
      self = .values(operand, slots: slots, predicate.makeTest())
    case .has, .compare: self = try Self.byRow(condition, &reader)
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
      if case .under(let path) = predicate, field == .field(.scope) {
        return .codes(slot: slot, CodeSet(try column.codes(ofScopesUnder: path)))
      }
      try reader.loadTerms(slot)
      let test = predicate.makeTest()
      let passing = (0...column.termCount).map { code in
        reader.value(slot, code: code).map(test) ?? false
      }
      return .codes(slot: slot, CodeSet(passing))
    case .integers(_, let kind):
      if let range = predicate.integerRange(kind) {
        if case .time = kind, let times = reader.segment.timeRange,
          range.contains(times.lowerBound), range.contains(times.upperBound)
        {
          return .always(true)
        }
        return .integers(slot: slot, range)
      }
    case .message(let column):
      if case .contains(let search) = predicate {
        var verdicts = try search.verdicts(on: column)
        // Texts that are like no others are often none; of lists that cannot be read nothing is known.
        if (try? column.rowCount(ofPattern: 0)) == 0 { verdicts[0] = .never }
        if verdicts.allSatisfy({ $0 == .never }) { return .always(false) }
        return .message(slot: slot, search, SearchedPatterns(verdicts))
      }
      if case .finds(let expression) = predicate {
        return .messageMatch(slot: slot, RegexMatcher(expression))
      }
    case .identities:
      if case .identity(let range) = predicate { return .identities(slot: slot, range) }
      if case .order(.equal, .uuid(let id)) = predicate {
        return .identities(slot: slot, id...id)
      }
    case .numbers, .payload: break
    }
    return .values(.column(slot), slots: [slot], predicate.makeTest())
  }

  private static func presence(
    of slot: Int, _ reader: inout GranuleReader
  ) throws(SegmentError) -> SegmentFilter {
    switch reader.slots[slot].source {
    case .absent: return .always(false)
    case .integers, .numbers: return .integers(slot: slot, .min ... .max)
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
    case .messageMatch: 200
    case .values: 1_000
    case .rows: 1_000
    case .not(let inner): inner.cost
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.cost }
    }
  }
}

extension SegmentFilter.CodeSet {
  /// The codes that the table, by code, is true of.
  init(_ table: [Bool]) {
    guard let first = table.firstIndex(of: true), let last = table.lastIndex(of: true) else {
      self = .none
      return
    }
    let isRange = table[first...last].allSatisfy(\.self)
    self = isRange ? .range(UInt32(first)...UInt32(last)) : .table(table)
  }

  /// The codes, ascending, when there are at most `limit`.
  func codes(atMost limit: Int) -> [Int]? {
    switch self {
    case .none: return []
    case .range(let range):
      return range.count <= limit ? range.map { Int($0) } : nil
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
