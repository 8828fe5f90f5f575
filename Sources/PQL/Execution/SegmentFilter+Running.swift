internal import SegmentIndex

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
    case .message(let slot, let search, let verdicts):
      try reader.loadPatterns(slot)
      let codes = reader.slots[slot].codes
      rows.filter { verdicts[Int(codes[$0])] != .never }
      guard rows.contains(where: { verdicts[Int(codes[$0])] == .perhaps }) else { return }
      let messages = try reader.messages(slot, wanted: verdicts.map { $0 == .perhaps })
      rows.filter {
        verdicts[Int(codes[$0])] == .always
          || search.isFound(in: messages.bytes.span.extracting(messages.range(of: $0)))
      }
    case .messageMatch(let slot, let matcher):
      try reader.load(slot)
      let messages = reader.messages
      rows.filter { matcher.matches(messages.bytes.span.extracting(messages.range(of: $0))) }
    case .identities(let slot, let range):
      try reader.load(slot)
      let identities = reader.slots[slot].identities
      let bits = range.lowerBound.bits...range.upperBound.bits
      rows.filter { bits.contains(identities[$0]) }
    case .values(let slot, let test):
      try keep(&rows, &reader, reading: [slot]) { $0.column(slot).map(test) ?? false }
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

/// Takes away the rows that do not pass `test`, which reads the slots.
private func keep(
  _ rows: inout RowBits, _ reader: inout GranuleReader, reading slots: [Int],
  _ test: (GranuleReader) -> Bool
) throws(SegmentError) {
  for slot in slots {
    try reader.load(slot)
    try reader.loadValues(slot)
  }
  var passed = rows
  passed.removeAll()
  for row in rows {
    reader.row = row
    if test(reader) { passed.insert(row) }
  }
  rows = passed
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
