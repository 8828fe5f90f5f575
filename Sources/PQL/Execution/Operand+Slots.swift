internal import SegmentIndex

extension Operand {
  /// The operand with its fields read from slots, which are added to `slots`.
  func readingSlots(
    of reader: inout GranuleReader, _ slots: inout [Int]
  ) throws(SegmentError) -> Operand {
    switch self {
    case .constant, .column: return self
    case .field(let field):
      let slot = try reader.slot(of: field)
      if !slots.contains(slot) { slots.append(slot) }
      return .column(slot)
    case .negate(let inner): return .negate(try inner.readingSlots(of: &reader, &slots))
    case .truth(let condition): return .truth(try condition.readingSlots(of: &reader, &slots))
    case .bin(let value, let width, let zone):
      return .bin(try value.readingSlots(of: &reader, &slots), width, zone)
    case .call(let function, let arguments):
      var rewritten: [Operand] = []
      for argument in arguments { rewritten.append(try argument.readingSlots(of: &reader, &slots)) }
      return .call(function, rewritten)
    case .arithmetic(let first, let steps):
      let first = try first.readingSlots(of: &reader, &slots)
      var rewritten: [Step] = []
      for step in steps {
        let operand = try step.operand.readingSlots(of: &reader, &slots)
        rewritten.append(Step(operation: step.operation, operand: operand))
      }
      return .arithmetic(first, rewritten)
    }
  }
}

extension Condition {
  /// The condition with its fields read from slots, which are added to `slots`.
  func readingSlots(
    of reader: inout GranuleReader, _ slots: inout [Int]
  ) throws(SegmentError) -> Condition {
    switch self {
    case .always: return self
    case .test(let operand, let predicate):
      return .test(try operand.readingSlots(of: &reader, &slots), predicate)
    case .has(let operand): return .has(try operand.readingSlots(of: &reader, &slots))
    case .compare(let left, let comparison, let right):
      let left = try left.readingSlots(of: &reader, &slots)
      return .compare(left, comparison, try right.readingSlots(of: &reader, &slots))
    case .not(let inner): return .not(try inner.readingSlots(of: &reader, &slots))
    case .and(let parts): return .and(try Self.rewritten(parts, &reader, &slots))
    case .or(let parts): return .or(try Self.rewritten(parts, &reader, &slots))
    }
  }

  private static func rewritten(
    _ parts: [Condition], _ reader: inout GranuleReader, _ slots: inout [Int]
  ) throws(SegmentError) -> [Condition] {
    var rewritten: [Condition] = []
    for part in parts { rewritten.append(try part.readingSlots(of: &reader, &slots)) }
    return rewritten
  }
}
