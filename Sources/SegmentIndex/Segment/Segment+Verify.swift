extension Segment {
  /// Checks everything: every block's checksum, that every column can be decoded, that what is derived
  /// agrees with what it was derived from, and that the records' digests add up.
  ///
  /// Returns what is wrong, at most one error for each column and each kind of check. Reads the whole
  /// segment. Besides two granules, memory holds the distinct values of the columns, and of one column at a time
  /// the granules that each value is in: in the worst case, as much as all values of one column take.
  public func verify() -> [SegmentError] {
    var errors: [SegmentError] = []
    func check(_ body: () throws(SegmentError) -> Void) {
      do throws(SegmentError) { try body() } catch { errors.append(error) }
    }
    for (position, entry) in directory.columns.enumerated() {
      check { () throws(SegmentError) in
        switch try column(at: position) {
        case .integers(let column): try verify(column, entry.field)
        case .terms(let column): try verify(column, entry.field)
        case .texts(let column): try verify(column, entry.field)
        case .identities(let column): try verify(column)
        case .numbers(let column): try verify(column.integers, entry.field)
        }
      }
    }
    check { () throws(SegmentError) in try verifyLayout() }
    // Records are put together from all columns, so a damaged one has been reported already.
    if errors.isEmpty, rowCount > 0 { check { () throws(SegmentError) in try verifyRecords() } }
    return errors
  }

  private func verify(_ column: IntegerColumn, _ field: FieldNumber) throws(SegmentError) {
    var values: [Int64] = []
    for granule in 0..<granuleCount {
      try column.decode(granule: granule, into: &values)
      if let presence = try column.presence(granule: granule) {
        values = values.indices.filter { presence[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
          .map { values[$0] }
      }
      let bounds =
        values.isEmpty ? nil : values.reduce(Int64.max, min)...values.reduce(Int64.min, max)
      guard bounds == column.bounds(granule: granule)
      else { throw column.error(granule: granule, "the bounds of \(field) are wrong") }
    }
  }

  private func verify(_ column: TermColumn, _ field: FieldNumber) throws(SegmentError) {
    var rowCounts = [Int](repeating: 0, count: column.termCount)
    var granules = [[Int]](repeating: [], count: column.termCount)
    var codes: [UInt32] = []
    for granule in 0..<granuleCount {
      try column.decode(granule: granule, into: &codes)
      for code in codes where code > 0 {
        rowCounts[Int(code) - 1] += 1
        if granules[Int(code) - 1].last != granule { granules[Int(code) - 1].append(granule) }
      }
    }
    guard try column.terms.count == column.termCount
    else { throw column.error("the dictionary of \(field) is incomplete") }
    for term in 0..<column.termCount {
      guard try column.rowCount(ofTerm: term) == rowCounts[term],
        try column.granules(ofTerm: term) == granules[term], rowCounts[term] > 0
      else { throw column.error("the posting lists of \(field) are wrong") }
    }
  }

  private func verify(_ column: TextColumn, _ field: FieldNumber) throws(SegmentError) {
    var texts = TextGranule()
    var codes: [UInt32] = []
    var rowCounts = [Int](repeating: 0, count: column.patternCount)
    var granules = [[Int]](repeating: [], count: column.patternCount)
    for granule in 0..<granuleCount {
      try column.decode(granule: granule, into: &texts)
      try column.decode(codes: &codes, granule: granule)
      for code in codes {
        rowCounts[Int(code)] += 1
        if granules[Int(code)].last != granule { granules[Int(code)].append(granule) }
      }
    }
    for code in 0..<column.patternCount {
      guard try column.rowCount(ofPattern: code) == rowCounts[code],
        try column.granules(ofPattern: code) == granules[code]
      else { throw column.error("the posting lists of \(field) are wrong") }
    }
  }

  private func verify(_ column: IdentityColumn) throws(SegmentError) {
    var identities: [UInt128] = []
    for granule in 0..<granuleCount { try column.decode(granule: granule, into: &identities) }
  }

  /// That records are in order, that the segment's time range is theirs, and that their digests add up.
  private func verifyRecords() throws(SegmentError) {
    var digester = try SegmentDigester(self)
    for granule in 0..<granuleCount { try digester.add(granule: granule) }
    guard digester.isInOrder else { throw error(at: 0, "the records are not in order") }
    let first = try timeBounds(ofGranule: 0).lowerBound
    let last = try timeBounds(ofGranule: granuleCount - 1).upperBound
    guard timeRange == first...last else { throw error(at: 0, "the time range is wrong") }
    // Fields that only a newer reader knows would be missing from the sum.
    guard digester.digest == digest || directory.hasUnknownColumns
    else { throw error(at: 0, "the records' digests do not add up") }
  }
}

extension Segment {
  /// The sum of the digests of the records that the columns hold, computed anew: `digest`, unless the segment was
  /// not written right. Decodes everything but the posting lists.
  package func computeDigest() throws(SegmentError) -> UInt64 {
    guard rowCount > 0 else { return 0 }
    var digester = try SegmentDigester(self)
    for granule in 0..<granuleCount { try digester.add(granule: granule) }
    return digester.digest
  }
}
