internal import SegmentIndex

extension SegmentFilter {
  /// Takes away the rows that do not pass. Decodes only what it must.
  func narrow(_ rows: inout RowBits, _ reader: inout GranuleReader) throws(SegmentError) {
    guard !rows.isEmpty else { return }
    switch self {
    case .always(let value):
      if !value { rows.removeAll() }
    case .codes(let slot, let set):
      rows.formIntersection(try reader.matches(slot, set, of: rows))
    case .integers(let slot, let range): try keepIntegers(&rows, &reader, slot, range)
    case .message(let slot, let search, let patterns):
      rows.formIntersection(try reader.rows(slot, of: patterns))
      guard patterns.hasUnclear, !rows.isEmpty else { return }
      var unclear = rows
      if patterns.hasClear {
        try reader.loadPatterns(slot, of: rows)
        let codes = reader.slots[slot].codes
        unclear.filter { patterns.verdicts[Int(codes[$0])] == .perhaps }
        guard !unclear.isEmpty else { return }
      }
      let found = try reader.rows(slot, of: unclear, containing: search)
      unclear.subtract(found)
      rows.subtract(unclear)
    case .messageMatch(let slot, let matcher):
      let messages = try reader.messages(slot, of: rows)
      rows.filter { matcher.matches(messages.bytes.span.extracting(messages.range(of: $0))) }
    case .identities(let slot, let range):
      try reader.load(slot, rows)
      let identities = reader.slots[slot].identities
      let bits = range.lowerBound.bits...range.upperBound.bits
      rows.filter { bits.contains(identities[$0]) }
    case .values(let operand, let slots, let test):
      try keep(&rows, &reader, reading: slots) { operand.value(in: $0).map(test) ?? false }
    case .rows(let condition, let slots):
      try keep(&rows, &reader, reading: slots) { condition.holds(for: $0) }
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

/// Takes away the rows that have no integer in the range.
private func keepIntegers(
  _ rows: inout RowBits, _ reader: inout GranuleReader, _ slot: Int, _ range: ClosedRange<Int64>
) throws(SegmentError) {
  if case .integers(let column, .time) = reader.slots[slot].source,
    let bounds = column.bounds(granule: reader.granule)
  {
    // Most granules lie wholly within bounds of time, or without.
    if range.contains(bounds.lowerBound), range.contains(bounds.upperBound) { return }
    guard range.overlaps(bounds) else { return rows.removeAll() }
  }
  try reader.load(slot, rows)
  rows.formIntersection(reader.slots[slot].presence)
  let values = reader.slots[slot].integers
  rows.filterBlindly(rowCount: values.count) { range.contains(values[$0]) }
}

/// Takes away the rows that do not pass `test`, which reads the slots.
private func keep(
  _ rows: inout RowBits, _ reader: inout GranuleReader, reading slots: [Int],
  _ test: (GranuleReader) -> Bool
) throws(SegmentError) {
  for slot in slots {
    try reader.load(slot, rows)
    try reader.loadTerms(slot)
  }
  var passed = rows
  passed.removeAll()
  for row in rows {
    reader.row = row
    if test(reader) { passed.insert(row) }
  }
  rows = passed
}

extension GranuleReader {
  /// Those of `rows` whose messages contain the text.
  fileprivate mutating func rows(
    _ slot: Int, of rows: RowBits, containing search: TextSearch
  ) throws(SegmentError) -> RowBits {
    var found = rows
    guard rows.count <= 64, case .message(let column) = slots[slot].source else {
      let messages = try messages(slot, of: rows)
      found.filter { search.isFound(in: messages.bytes.span.extracting(messages.range(of: $0))) }
      return found
    }
    // Of a few no more than themselves is decoded.
    noteRead(slot)
    var texts = TextGranule()
    try column.append(rows.rows, ofGranule: granule, to: &texts)
    var place = 0
    found.filter { _ in
      defer { place += 1 }
      return search.isFound(in: texts.bytes.span.extracting(texts.range(of: place)))
    }
    return found
  }

  /// One bit a row of the current granule: whether its message's pattern leaves it possible that the text is found.
  fileprivate mutating func rows(
    _ slot: Int, of patterns: SearchedPatterns
  ) throws(SegmentError) -> [UInt64] {
    guard case .message(let column) = slots[slot].source else {
      preconditionFailure("only texts have patterns")
    }
    noteRead(slot)
    if let codes = patterns.fewCodes { return try column.rows(ofPatterns: codes, granule: granule) }
    try loadPatterns(slot)
    let codes = slots[slot].codes
    let canPass = patterns.verdicts.map { $0 != .never }
    var rows = RowBits(count: codes.count, all: true)
    rows.filterBlindly(rowCount: codes.count) { canPass[Int(codes[$0])] }
    return rows.words
  }

  /// One bit a row: whether its code is in the set. Others than `rows` may have any.
  fileprivate mutating func matches(
    _ slot: Int, _ set: SegmentFilter.CodeSet, of rows: RowBits
  ) throws(SegmentError) -> [UInt64] {
    guard case .terms(let column) = slots[slot].source else {
      preconditionFailure("only terms have codes")
    }
    let isSparse = rows.count <= rows.words.count * 8
    noteRead(slot)
    switch set {
    case .none: return [UInt64](repeating: 0, count: rows.words.count)
    case .range(let range) where !isSparse: return try column.matches(range, granule: granule)
    case .table(let table) where !isSparse: return try column.matches(table, granule: granule)
    case .range, .table:
      // A few rows are looked up one by one.
      try load(slot, rows)
      var rows = rows
      let codes = slots[slot].codes
      switch set {
      case .none: break
      case .range(let range): rows.filter { range.contains(codes[$0]) }
      case .table(let table): rows.filter { table[Int(codes[$0])] }
      }
      return rows.words
    }
  }
}
