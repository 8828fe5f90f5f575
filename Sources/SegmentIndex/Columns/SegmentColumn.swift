/// A field of a record: each one that some record has is a column of the segment. `Record` says what they mean.
public enum SegmentField: Hashable, Sendable {
  /// What every record has.
  case id, time, sequence, session, level, event, version, message
  /// What records may lack.
  case scopes, payload, span, exit, exitReason, duration, function, file, line, externalID
  /// JSON text; an empty one is none.
  case attachments
  /// The tag with this key. Keys are compared to the byte.
  case tag(String)
}

/// A column of a segment, by what its rows hold.
///
/// Columns are decoded a granule at a time: 4,096 rows, fewer in the last one. Each block is checked when it is first
/// read; one that is damaged is a `SegmentError`.
public enum SegmentColumn: Sendable {
  /// `time`, `sequence`, `duration` and `line`.
  case integers(IntegerColumn)
  /// All fields that are not elsewhere, and tags.
  case terms(TermColumn)
  /// `message`, `payload` and `attachments`.
  case texts(TextColumn)
  /// `id`.
  case identities(IdentityColumn)
  /// Tags whose values are measured numbers.
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
