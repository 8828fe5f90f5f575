package import PQL
import PeriscopeCore

extension Options.Parameter {
  /// The value that the parameter's text means.
  ///
  /// - Parameter zone: of times without an offset.
  package func value(in zone: TimeZoneRules) throws(UsageError) -> Value {
    guard let type else { return guessedValue(in: zone) }
    let value: Value? =
      switch type {
      case "string": .string(text)
      case "int": Int64(text).map(Value.int)
      case "double": Double(text).map(Value.double)
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
  private func guessedValue(in zone: TimeZoneRules) -> Value {
    if let truth = Bool(text) { return .bool(truth) }
    if let number = Int64(text) { return .int(number) }
    // `Double` also reads words such as "nan".
    if text.utf8.contains(where: { (0x30...0x39).contains($0) }), let number = Double(text) {
      return .double(number)
    }
    if let duration = Options.duration(text) { return .duration(duration) }
    if let size { return .size(size) }
    if let time = time(in: zone) { return .time(time) }
    return .string(text)
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
