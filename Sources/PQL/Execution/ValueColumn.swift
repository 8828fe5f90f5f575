internal import SegmentIndex

/// The values of a column of a table, as flat as they can be.
struct ValueColumn: Sendable {
  /// What is kept of each row.
  enum Kind: Sendable {
    /// Its message, in `texts`.
    case message
    /// Its time, in `times`.
    case time
    /// Its value, in `values`.
    case any
  }

  let kind: Kind
  var texts = TextGranule()
  var times: [Int64] = []
  var values: [Value?] = []
  /// What the values take that were made for this column alone.
  var heapByteCount = 0

  /// A column without rows of what `operand` is, with room for some.
  init(_ operand: Operand, capacity: Int) {
    kind = Self.kind(of: operand)
    switch kind {
    case .message: texts.reserveCapacity(capacity)
    case .time: times.reserveCapacity(capacity)
    case .any: values.reserveCapacity(capacity)
    }
  }

  /// Adds a value of any kind, whose memory may be that of other values.
  mutating func append(_ value: Value?, isShared: Bool) {
    values.append(value)
    if !isShared { heapByteCount += value?.heapByteCount ?? 0 }
  }

  /// What is kept of the values of an operand.
  static func kind(of operand: Operand) -> Kind {
    switch operand {
    case .field(.field(.message)): .message
    case .field(.field(.time)): .time
    default: .any
    }
  }

  /// The value of a row.
  subscript(row: Int) -> Value? {
    switch kind {
    case .message: .string(texts.text(of: row))
    case .time: .time(times[row])
    case .any: values[row]
    }
  }

  /// About how many bytes this takes, but for what the values have elsewhere.
  var byteCount: Int {
    switch kind {
    case .message: texts.byteCount
    case .time: times.count * MemoryLayout<Int64>.stride
    case .any: values.count * MemoryLayout<Value?>.stride + heapByteCount
    }
  }
}
