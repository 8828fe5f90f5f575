internal import SegmentIndex

extension GranuleReader {
  /// Where a slot's values come from.
  enum Source {
    /// No row of the segment has the field.
    case absent
    case integers(IntegerColumn, IntegerKind)
    case numbers(NumberColumn)
    case terms(TermColumn)
    case message(TextColumn)
    case payload(TextColumn, PayloadPlan)
    case identities(IdentityColumn)
  }

  /// What a column's 64-bit integers mean.
  enum IntegerKind {
    case time, duration, number

    func value(_ integer: Int64) -> Value {
      switch self {
      case .time: .time(integer)
      case .duration: .duration(integer)
      case .number: .int(integer)
      }
    }
  }

  /// Which of the sources it is: told for each row, where handing the source itself around would cost.
  enum SourceKind {
    case absent, integers(IntegerKind), numbers, terms, message, payload, identities
  }

  /// One field in the current granule.
  struct Slot {
    let source: Source
    let kind: SourceKind
    /// For a field of the session, its value for each session term; for lists the terms' own values, once something
    /// has asked for them. Code 0 has none.
    var values: [Value?]?
    /// For other terms the terms, once something has asked for them.
    var terms: [Term]?
    /// The granule that the following hold.
    var granule = -1
    /// The last granule of which something was read.
    var readGranule = -1
    /// The rows of it that they hold; nil when that is all.
    var rows: RowBits?
    var integers: [Int64] = []
    var presence: [UInt64]?
    /// Of terms, or of the patterns of texts.
    var codes: [UInt32] = []
    var identities: [UInt128] = []
    /// Of a path in the payload, unless the values are whole numbers: then they are in `integers`.
    var rowValues: [Value?]?
    /// The granule that `codes` holds, of texts.
    var codesGranule = -1

    init(source: Source) {
      self.source = source
      kind =
        switch source {
        case .absent: .absent
        case .integers(_, let kind): .integers(kind)
        case .numbers: .numbers
        case .terms: .terms
        case .message: .message
        case .payload: .payload
        case .identities: .identities
        }
    }
  }
}
