/// Where a page of records ended, so that the next one can go on there.
///
/// It names a record by what it is and not by its place, so that compaction and new records do not move it. It holds
/// for one query; its text form is for keeping, and means nothing to anybody else.
public struct QueryCursor: Sendable, Hashable {
  /// What the query's canonical text comes to.
  let queryHash: UInt64
  /// The time that `now` means on every page.
  let now: Int64
  /// The last record of the page.
  let position: RowPosition

  init(_ query: Query, now: Int64, after position: RowPosition) {
    queryHash = Self.hash(query)
    self.now = now
    self.position = position
  }

  /// Whether the cursor is of a page of the query.
  func isOf(_ query: Query) -> Bool { queryHash == Self.hash(query) }

  /// FNV-1a (Fowler, Noll and Vo) of the canonical text: the same in every process.
  private static func hash(_ query: Query) -> UInt64 {
    query.description.utf8.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
  }
}

extension QueryCursor: LosslessStringConvertible {
  private static let version = "1"

  /// The cursor of this text; nil when no cursor has it.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == Self.version, let queryHash = UInt64(parts[1], radix: 16),
      let now = UInt64(parts[2], radix: 16), let time = UInt64(parts[3], radix: 16),
      let session = UInt128(parts[4], radix: 16), let sequence = UInt64(parts[5], radix: 16)
    else { return nil }
    self.queryHash = queryHash
    self.now = Int64(bitPattern: now)
    position = RowPosition(
      time: Int64(bitPattern: time), session: session, sequence: sequence)
  }

  /// Letters, digits and `-`.
  public var description: String {
    let numbers: [any BinaryInteger] = [
      queryHash, UInt64(bitPattern: now), UInt64(bitPattern: position.time), position.session,
      position.sequence,
    ]
    return ([Self.version] + numbers.map { String($0, radix: 16) }).joined(separator: "-")
  }
}
