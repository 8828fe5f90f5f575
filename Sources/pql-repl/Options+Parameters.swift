package import PQL
import PeriscopeCore

extension Options.Parameter {
  /// The value that the parameter's text means.
  ///
  /// - Parameter zone: of times without an offset.
  package func value(in zone: TimeZoneRules) throws(UsageError) -> Value {
    guard let type else { return try guessedValue(in: zone) }
    let value: Value? =
      switch type {
      case "string": .string(text)
      case "int": number.flatMap { if case .int = $0 { $0 } else { nil } }
      case "double": number.flatMap(\.asDouble)
      case "bool": Bool(text).map(Value.bool)
      case "duration": Options.duration(text).map(Value.duration)
      case "size": size.map(Value.size)
      case "time": time(in: zone).map(Value.time)
      case "level": LogLevel.standard.first { $0.name == text }.map(Value.level)
      case "uuid": UniqueID(text).map(Value.uuid)
      default:
        throw UsageError("-p knows no type \(quoted(type))")
      }
    guard let value else { throw UsageError("\(quoted(text)) is not a \(type)") }
    return value
  }

  /// The value as a query would read the text: what has the form of a number, a time, a duration, a
  /// size or a truth value is one, and anything else is text.
  private func guessedValue(in zone: TimeZoneRules) throws(UsageError) -> Value {
    if let truth = Bool(text) { return .bool(truth) }
    if let number { return number }
    if NumberText.matches(unsigned) {
      throw UsageError(
        "\(quoted(text)) is a number out of range; -p \(name):string=\(text) makes it text")
    }
    if let duration = Options.duration(text) { return .duration(duration) }
    if let size { return .size(size) }
    if let time = time(in: zone) { return .time(time) }
    return .string(text)
  }

  /// The text without a minus sign.
  private var unsigned: String {
    String(text.hasPrefix("-") ? text.dropFirst() : text[...])
  }

  /// The number that a query would read; nil when it reads none, or one out of range.
  private var number: Value? {
    guard NumberText.matches(unsigned) else { return nil }
    switch NumberText.value(unsigned, sign: text.hasPrefix("-") ? "-" : "") {
    case .int(let number): return .int(number)
    case .double(let number): return .double(number)
    default: return nil
    }
  }

  private var size: Int64? {
    guard case .exact(let bytes) = Quantity.size(text) else { return nil }
    return bytes
  }

  private func time(in zone: TimeZoneRules) -> Int64? {
    guard let literal = TimeLiteral(text) else { return nil }
    guard let offset = literal.offset else { return zone.time(ofLocal: literal.local) }
    return literal.local - Int64(offset) * 1_000_000_000
  }
}

extension Value {
  /// A number as a double.
  fileprivate var asDouble: Value? {
    switch self {
    case .int(let number): .double(Double(number))
    case .double: self
    default: nil
    }
  }
}
