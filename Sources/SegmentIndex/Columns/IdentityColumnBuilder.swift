internal import JournalKit

/// Collects and writes the column of identities.
struct IdentityColumnBuilder {
  /// Those that are not what session and sequence give, by row.
  private var identities: [UInt128] = []
  /// Of each row: its identity is derived.
  private var isDerived: [Bool] = []

  /// The bytes that this holds in memory.
  var byteCount: Int { identities.count * 17 }

  /// Adds the identity of the next row.
  mutating func append(_ id: UniqueID, session: UniqueID, sequence: UInt64) {
    identities.append(id.bits)
    isDerived.append(id == UniqueID(session: session, sequence: sequence))
  }

  /// Writes the column's blocks, and last its own, whose handle is returned.
  func write(to writer: inout ByteWriter, order: RowOrder) -> BlockHandle {
    var granules = BlockListWriter()
    let count = SegmentFormat.partCount(
      size: SegmentFormat.granuleRowCount, rowCount: identities.count)
    for granule in 0..<count {
      let places = SegmentFormat.rows(
        ofPart: granule, size: SegmentFormat.granuleRowCount, rowCount: identities.count)
      if places.allSatisfy({ isDerived[order.row(at: $0)] }) {
        granules.append(nil)
      } else {
        granules.append(
          writer.block { writer in
            for place in places { writer.integer(identities[order.row(at: place)]) }
          })
      }
    }
    return writer.block {
      $0.byte(ColumnKind.identities.rawValue)
      granules.write(to: &$0)
    }
  }
}
