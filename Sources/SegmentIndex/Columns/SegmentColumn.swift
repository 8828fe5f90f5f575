/// What a column can hold.
package enum SegmentField: Hashable, Sendable {
  case id, time, sequence, session, level, event, version, message, scopes, payload, span, exit
  case exitReason, duration, function, file, line, externalID, attachments
  case tag(String)
}

/// A column of a segment, by what its rows hold.
///
/// `time`, `sequence`, `duration` and `line` are integers; `message` and `payload` are texts; `id` is
/// identities; a tag is numbers or terms; everything else is terms.
package enum SegmentColumn: Sendable {
  case integers(IntegerColumn)
  case terms(TermColumn)
  case texts(TextColumn)
  case identities(IdentityColumn)
  case numbers(NumberColumn)

  /// Where the column's blocks are, without its own.
  var blocks: [Range<Int>] {
    switch self {
    case .integers(let column): column.blocks
    case .terms(let column): column.blocks
    case .texts(let column): column.blocks
    case .identities(let column): column.blocks
    case .numbers(let column): column.integers.blocks
    }
  }
}

/// The first byte of a column's own block.
enum ColumnKind: UInt8 {
  case integers = 1
  case terms, texts, identities, numbers
}
