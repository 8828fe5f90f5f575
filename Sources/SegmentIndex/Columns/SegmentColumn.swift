/// What a column can hold.
package enum SegmentField: Hashable, Sendable {
  case id, time, sequence, session, level, event, version, message, scopes, payload, span, exit
  case exitReason, duration, function, file, line, externalID
  case tag(String)
}

/// A column of a segment, by what its rows hold.
///
/// `time`, `sequence`, `duration` and `line` are integers; `message` and `payload` are bytes; `id` is
/// identities; everything else, each tag among it, is terms.
package enum SegmentColumn: Sendable {
  case integers(IntegerColumn)
  case terms(TermColumn)
  case bytes(BytesColumn)
  case identities(IdentityColumn)

  /// Where the column's blocks are, without its own.
  var blocks: [Range<Int>] {
    switch self {
    case .integers(let column): column.blocks
    case .terms(let column): column.blocks
    case .bytes(let column): column.blocks
    case .identities(let column): column.blocks
    }
  }
}

/// The first byte of a column's own block.
enum ColumnKind: UInt8 {
  case integers = 1
  case terms, bytes, identities
}
