internal import JournalKit

/// The identities of the records. Where all of a granule are what `UniqueID(session:sequence:)` gives,
/// nothing is stored; else its block has `u128` for each row.
public final class IdentityColumn: Sendable {
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

  /// How many bytes granule `granule` takes.
  package func byteCount(granule: Int) -> Int { granules.blocks.byteCount(granule) }

  /// Makes `identities` as long as the granule and fills it.
  public func decode(
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

  /// The identities of `rows`, one after another: rows counted from the granule's first, ascending.
  func identities(
    of rows: [Int], inGranule granule: Int
  ) throws(SegmentError) -> [UniqueID] {
    let all = granules.rows(granule)
    guard granules.blocks.hasBlock(granule) else {
      let codes = try sessions.codes(of: rows, inGranule: granule)
      let numbers = try sequences.values(of: rows, inGranule: granule)
      var deriving = Deriving(sessions)
      var identities: [UniqueID] = []
      identities.reserveCapacity(rows.count)
      for (code, number) in zip(codes, numbers) {
        guard let identity = try deriving.identity(code, number ?? 0)
        else { throw malformedSession(all) }
        identities.append(identity)
      }
      return identities
    }
    return try granules.blocks.read(granule, as: "a granule of identities") { bytes in
      guard bytes.byteCount == all.count * 16 else { return nil }
      return rows.map { UniqueID(bits: bytes.littleEndian(UInt128.self, at: $0 * 16)) }
    }
  }

  private func derive(
    _ rows: Range<Int>, into identities: inout [UInt128]
  ) throws(SegmentError) {
    var codes: [UInt32] = []
    var numbers: [Int64] = []
    try sessions.decode(rows: rows, into: &codes)
    try sequences.decode(rows: rows, into: &numbers)
    var deriving = Deriving(sessions)
    for index in codes.indices {
      guard let identity = try deriving.identity(codes[index], numbers[index])
      else { throw malformedSession(rows) }
      identities[index] = identity.bits
    }
  }

  /// Derives identities; remembers the session of the one before.
  private struct Deriving {
    private let sessions: TermColumn
    private var code: UInt32 = 0
    private var session = UniqueID(bits: 0)

    init(_ sessions: TermColumn) {
      self.sessions = sessions
    }

    /// The identity of a row; nil when it has no session.
    mutating func identity(
      _ code: UInt32, _ sequence: Int64
    ) throws(SegmentError) -> UniqueID? {
      if code != self.code {
        guard code > 0, case .identity(let id) = try sessions.term(at: Int(code) - 1)
        else { return nil }
        session = id
        self.code = code
      }
      guard code > 0 else { return nil }
      return UniqueID(session: session, sequence: UInt64(bitPattern: sequence))
    }
  }

  private func malformedSession(_ rows: Range<Int>) -> SegmentError {
    granules.blocks.file.error(at: 0, "a row in \(rows) has no session to derive its identity from")
  }
}
