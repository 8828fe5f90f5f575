extension Segment {
  /// The record at `row`, which must be in range. Opens every column; for many records `RecordReader` does that once.
  public func record(at row: Int) throws(SegmentError) -> Record {
    var reader = try RecordReader(self)
    return try reader.record(at: row)
  }

  /// All records, in order.
  package func records() throws(SegmentError) -> [Record] {
    guard rowCount > 0 else { return [] }
    var reader = try RecordReader(self)
    return try reader.records(in: 0..<rowCount)
  }

  /// The column of a field that records may lack; nil when all do.
  func optionalTerms(_ field: FieldNumber) throws(SegmentError) -> TermColumn? {
    guard case .terms(let column) = try column(number: field) else { return nil }
    return column
  }

  /// The column of a field that records may lack; nil when all do.
  func optionalIntegers(_ field: FieldNumber) throws(SegmentError) -> IntegerColumn? {
    guard case .integers(let column) = try column(number: field) else { return nil }
    return column
  }

  /// The column of a field that records may lack; nil when all do.
  func optionalTexts(_ field: FieldNumber) throws(SegmentError) -> TextColumn? {
    guard case .texts(let column) = try column(number: field) else { return nil }
    return column
  }
}
