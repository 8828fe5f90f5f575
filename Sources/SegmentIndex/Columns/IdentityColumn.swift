internal import JournalKit

/// The identities of the records. Where all of a granule are what `UniqueID(session:sequence:)` gives,
/// nothing is stored; else its block has `u128` for each row.
package struct IdentityColumn: Sendable {
  private let granules: ColumnGranules
  private let sessions: TermColumn
  private let sequences: IntegerColumn

  /// Reads the rest of a column's block: the granules.
  ///
  /// - Parameters:
  ///   - sessions: the column from which identities are derived, with `sequences`.
  init?(
    _ reader: inout ByteReader, rowCount: Int, file: SegmentFile, sessions: TermColumn,
    sequences: IntegerColumn
  ) {
    guard let granules = ColumnGranules(&reader, rowCount: rowCount, file: file) else { return nil }
    self.granules = granules
    self.sessions = sessions
    self.sequences = sequences
  }

  /// Where the column's blocks are, without its own.
  var blocks: [Range<Int>] { granules.blocks.ranges }

  /// Makes `identities` as long as the granule and fills it.
  package func decode(
    granule: Int, into identities: inout [UInt128]
  ) throws(SegmentError) {
    try decode(rows: granules.rows(granule), into: &identities)
  }

  /// As `decode(granule:into:)`, for rows within one granule, counted from the segment's first.
  package func decode(
    rows: Range<Int>, into identities: inout [UInt128]
  ) throws(SegmentError) {
    let index = rows.lowerBound / SegmentFormat.granuleRowCount
    if identities.count != rows.count {
      identities = [UInt128](repeating: 0, count: rows.count)
    }
    guard granules.blocks.hasBlock(index) else { return try derive(rows, into: &identities) }
    let all = granules.rows(index)
    try granules.blocks.read(index, as: "a granule of identities") { bytes -> Void? in
      guard bytes.byteCount == all.count * 16 else { return nil }
      for row in rows {
        identities[row - rows.lowerBound] = bytes.littleEndian(
          UInt128.self, at: (row - all.lowerBound) * 16)
      }
      return ()
    }
  }

  private func derive(
    _ rows: Range<Int>, into identities: inout [UInt128]
  ) throws(SegmentError) {
    var codes: [UInt32] = []
    var numbers: [Int64] = []
    try sessions.decode(rows: rows, into: &codes)
    try sequences.decode(rows: rows, into: &numbers)
    var session = UniqueID(bits: 0)
    var lastCode: UInt32 = 0
    for index in codes.indices {
      let code = codes[index]
      if code != lastCode {
        guard code > 0, case .identity(let id) = try sessions.term(at: Int(code) - 1)
        else { throw malformedSession(rows) }
        session = id
        lastCode = code
      }
      guard code > 0 else { throw malformedSession(rows) }
      let sequence = UInt64(bitPattern: numbers[index])
      identities[index] = UniqueID(session: session, sequence: sequence).bits
    }
  }

  private func malformedSession(_ rows: Range<Int>) -> SegmentError {
    granules.blocks.file.error(at: 0, "a row in \(rows) has no session to derive its identity from")
  }
}
