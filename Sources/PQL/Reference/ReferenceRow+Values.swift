internal import SegmentIndex

extension ReferenceRow {
  /// The operand's value for the row; nil when it is missing or cannot be computed.
  func value(of operand: Operand) -> Value? {
    switch operand {
    case .constant(let value): return value
    case .field(let field): return value(of: field)
    case .column(let index): return columns[index]
    case .truth(let condition): return .bool(satisfies(condition))
    case .negate(let inner): return value(of: inner).flatMap(Reference.negative)
    case .bin(let inner, let width, let zone):
      guard let inner = value(of: inner), let width = value(of: width) else { return nil }
      return Reference.bin(inner, width, zone)
    case .arithmetic(let first, let steps):
      var result = value(of: first)
      for step in steps {
        guard let left = result, let right = value(of: step.operand) else { return nil }
        result = Reference.combined(left, step.operation, right)
      }
      return result
    case .call(.if, let arguments):
      let isTrue = value(of: arguments[0]).map { Reference.holds($0, .equal, .bool(true)) }
      return value(of: arguments[isTrue == true ? 1 : 2])
    case .call(.coalesce, let arguments): return arguments.compactMap(value).first
    case .call(let function, let arguments):
      return value(of: arguments[0]).flatMap { Reference.result(of: function, $0) }
    }
  }

  /// The value of a record's field.
  private func value(of field: FieldReference) -> Value? {
    guard let record else { return nil }
    switch field {
    case .field(let field): return value(of: field, record)
    case .payload(let path): return ReferenceJSON(record.payload).value(at: path)
    case .tag(let key):
      let tag = record.tags.first { Array($0.key.utf8) == Array(key.utf8) }
      return tag.map { tag in
        switch tag.value {
        case .string(let text): .string(text)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .bool(let flag): .bool(flag)
        case .json(let text): .json(text)
        }
      }
    }
  }

  private func value(of field: Field, _ record: Record) -> Value? {
    switch field {
    case .id: return .uuid(record.id)
    case .time: return .time(record.time)
    case .sequence: return .int(Int64(bitPattern: record.sequence))
    case .level: return .level(record.level)
    case .event: return .string(record.event)
    case .version: return .int(record.version)
    case .message: return .string(record.message)
    case .scope: return record.scopes.isEmpty ? nil : .list(record.scopes.map(Value.string))
    case .session, .sessionID: return .uuid(record.session)
    case .span: return record.span.map(Value.uuid)
    case .exit: return record.exit.map(Value.string)
    case .reason: return record.exitReason.map(Value.string)
    case .duration: return record.duration.map(Value.duration)
    case .function: return record.function.map(Value.string)
    case .file: return record.file.map(Value.string)
    case .line: return record.line.map(Value.int)
    case .extid: return record.externalID.map(Value.string)
    case .attachments: return ReferenceJSON(record.attachments).value(at: [.name("count")])
    case .payload: return ReferenceJSON(record.payload).value(at: [])
    case .sessionApp, .sessionOS, .sessionDevice, .sessionStart:
      guard let session = sessions.first(where: { $0.id == record.session }) else { return nil }
      if field == .sessionStart { return .time(session.start) }
      let text =
        field == .sessionApp ? session.app : field == .sessionOS ? session.os : session.device
      return text.isEmpty ? nil : .string(text)
    }
  }
}

// MARK: Computing

extension Reference {
  /// What an operation gives; nil when the types do not combine, or there is no finite result that fits.
  static func combined(
    _ left: Value, _ operation: ArithmeticStep.Operator, _ right: Value
  ) -> Value? {
    switch (left, operation, right) {
    case (.duration(let left), .divide, .duration(let right)):
      return finite(Double(left) / Double(right))
    case (.duration(let left), .add, .duration(let right)):
      return fitting(Int128(left) + Int128(right)).map(Value.duration)
    case (.duration(let left), .subtract, .duration(let right)),
      (.time(let left), .subtract, .time(let right)):
      return fitting(Int128(left) - Int128(right)).map(Value.duration)
    case (.time(let left), .add, .duration(let right)),
      (.duration(let left), .add, .time(let right)):
      return fitting(Int128(left) + Int128(right)).map(Value.time)
    case (.time(let left), .subtract, .duration(let right)):
      return fitting(Int128(left) - Int128(right)).map(Value.time)
    case (.duration(let left), .multiply, _):
      return number(right).flatMap { nanoseconds(Double(left) * $0) }
    case (.duration(let left), .divide, _):
      return number(right).flatMap { nanoseconds(Double(left) / $0) }
    case (_, .multiply, .duration(let right)):
      return number(left).flatMap { nanoseconds($0 * Double(right)) }
    default: return combinedNumbers(left, operation, right)
    }
  }

  private static func combinedNumbers(
    _ left: Value, _ operation: ArithmeticStep.Operator, _ right: Value
  ) -> Value? {
    if let left = whole(left).map({ Int128($0) }), let right = whole(right).map({ Int128($0) }) {
      switch operation {
      case .add: return fitting(left + right).map(Value.int)
      case .subtract: return fitting(left - right).map(Value.int)
      case .multiply: return fitting(left * right).map(Value.int)
      case .divide: break
      }
    }
    guard let left = number(left), let right = number(right) else { return nil }
    switch operation {
    case .add: return finite(left + right)
    case .subtract: return finite(left - right)
    case .multiply: return finite(left * right)
    case .divide: return finite(left / right)
    }
  }

  static func negative(_ value: Value) -> Value? {
    switch value {
    case .int(let number): fitting(-Int128(number)).map(Value.int)
    case .size(let number): fitting(-Int128(number)).map(Value.size)
    case .duration(let number): fitting(-Int128(number)).map(Value.duration)
    case .double(let number): .double(-number)
    default: nil
    }
  }

  private static func number(_ value: Value) -> Double? {
    if case .double(let number) = value { number } else { whole(value).map { Double($0) } }
  }

  private static func fitting(_ number: Int128) -> Int64? { Int64(exactly: number) }

  private static func finite(_ number: Double) -> Value? {
    number.isFinite ? .double(number) : nil
  }

  private static func nanoseconds(_ number: Double) -> Value? {
    Int64(exactly: number.rounded()).map(Value.duration)
  }

  // MARK: Functions

  static func bin(_ value: Value, _ width: Value, _ zone: TimeZoneRules) -> Value? {
    switch (value, width) {
    case (.time(let time), .duration(let width)):
      return zone.bin(of: time, width: width).map { .time($0.lowerBound) }
    case (.duration(let value), .duration(let width)):
      return roundedDown(value, width).map(Value.duration)
    case (_, .duration): return nil
    default:
      if let value = whole(value), let width = whole(width) {
        return roundedDown(value, width).map(Value.int)
      }
      guard let value = number(value), let width = number(width), width > 0 else { return nil }
      return finite((value / width).rounded(.down) * width)
    }
  }

  private static func roundedDown(_ value: Int64, _ width: Int64) -> Int64? {
    guard width > 0 else { return nil }
    let (value, width) = (Int128(value), Int128(width))
    let rest = (value % width + width) % width
    return fitting(value - rest)
  }

  /// What a function of one argument gives.
  static func result(of function: ScalarFunction, _ value: Value) -> Value? {
    switch function {
    case .string: return .string(value.description)
    case .type: return .string(value.typeName)
    case .int: return integer(value).map(Value.int)
    case .double:
      switch value {
      case .double: return value
      case .string(let text):
        guard case .double(let number)? = NumberText.signedValue(text) else { break }
        return .double(number)
      default: break
      }
      return integer(value).map { .double(Double($0)) }
    case .lower, .len:
      switch value {
      case .list(let values): return .list(values.compactMap { result(of: function, $0) })
      case .string(let text): return result(of: function, text)
      case .level(let level): return result(of: function, level.name)
      case .uuid(let id): return result(of: function, id.description)
      default: return nil
      }
    case .bin, .if, .coalesce: preconditionFailure("they have several arguments")
    }
  }

  private static func result(of function: ScalarFunction, _ text: String) -> Value {
    function == .lower ? .string(text.lowercased()) : .int(Int64(text.unicodeScalars.count))
  }

  /// The value as a whole number, cut towards zero.
  private static func integer(_ value: Value) -> Int64? {
    switch value {
    case .int(let number), .size(let number), .duration(let number), .time(let number): number
    case .double(let number): Int64(exactly: number.rounded(.towardZero))
    case .bool(let flag): flag ? 1 : 0
    case .level(let level): Int64(level.severity)
    case .string(let text):
      switch NumberText.signedValue(text) {
      case .int(let number): number
      case .double(let number): integer(.double(number))
      default: nil
      }
    case .uuid, .json, .list: nil
    }
  }
}
