/// The values of operands in one row after another, with an eye on what they take.
struct MadeValues {
  private let operands: [Operand]
  /// The places of the operands that may make texts.
  private let makers: [Int]
  private let memory: HeldMemory
  private let columnByteCount: Int
  private var rowCount = 0
  /// What all texts take that were made.
  private(set) var textByteCount = 0
  /// What the values take that were made since the budget was last asked.
  private var byteCount = 0

  /// - Parameter columnCount: how many values a row gets that are not counted yet.
  init(_ operands: [Operand], uncounted columnCount: Int, _ memory: HeldMemory) {
    self.operands = operands
    self.memory = memory
    columnByteCount = columnCount * MemoryLayout<Value?>.stride
    makers = operands.indices.filter { operands[$0].makesTexts }
  }

  /// The values in the next row.
  mutating func values(in row: some RowValues) -> [Value?] {
    let values = operands.map { $0.value(in: row) }
    byteCount += columnByteCount
    for index in makers {
      let count = values[index]?.heapByteCount ?? 0
      byteCount += count
      textByteCount += count
    }
    return values
  }

  /// Whether the run may go on to a further row: asks for one in 1,024.
  mutating func hasRoom() -> Bool {
    defer { rowCount += 1 }
    guard rowCount & 1_023 == 0 || byteCount >= 1 << 20 else { return !memory.isOver }
    return count()
  }

  /// Counts what was made since the budget was last asked; whether the run may go on.
  @discardableResult
  mutating func count() -> Bool {
    defer { byteCount = 0 }
    return memory.allows(more: byteCount)
  }
}

extension Operand {
  /// Whether a value may take memory of its own: it is not there already, in the row or in the query.
  var makesTexts: Bool {
    switch self {
    case .field(.payload), .field(.field(.payload)), .field(.field(.scope)), .call: true
    case .field, .column, .constant, .arithmetic, .negate, .bin, .truth: false
    }
  }
}
