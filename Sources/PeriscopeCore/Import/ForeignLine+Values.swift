internal import JournalKit
internal import SegmentIndex

// A leaf's value in the forms that the parts of a record need; nil when it has no such form.

extension ForeignLine {
  /// The bytes of a scalar as they stand in the line, a string's without its quotes.
  @_lifetime(borrow self)
  func scalarBytes(_ leaf: Leaf) -> RawSpan? {
    switch leaf.kind {
    case .string: bytes.extracting(leaf.range.lowerBound + 1..<leaf.range.upperBound - 1)
    case .number: bytes.extracting(leaf.range)
    default: nil
    }
  }

  func time(_ leaf: Leaf) -> Timestamp? {
    guard case .time(let unit) = leaf.meaning?.role, let text = scalarBytes(leaf) else {
      return nil
    }
    return Timestamp(text: text, unit: unit)
  }

  func level(_ leaf: Leaf) -> LogLevel? {
    guard case .level(let scale) = leaf.meaning?.role else { return nil }
    if let number = integer(leaf) { return LogLevel(number: number, scale: scale) }
    return leaf.kind == .string ? LogLevel(foreignName: text(leaf)) : nil
  }

  /// An integer, as a number or in a string.
  func integer(_ leaf: Leaf) -> Int64? {
    switch leaf.kind {
    case .number:
      var scanner = JSONScanner(bytes.extracting(leaf.range))
      return try? scanner.readInt()
    case .string:
      return Int64(text(leaf))
    default:
      return nil
    }
  }

  /// The text of a string.
  func text(_ leaf: Leaf) -> String {
    var scanner = JSONScanner(bytes.extracting(leaf.range))
    return (try? scanner.readString()) ?? ""
  }

  /// The text of a non-empty string.
  func name(_ leaf: Leaf) -> String? {
    guard leaf.kind == .string, leaf.range.count > 2 else { return nil }
    return text(leaf)
  }

  /// The text of a string that can name an event: not empty, and without white space.
  func eventName(_ leaf: Leaf) -> String? {
    guard let name = name(leaf), !name.utf8.contains(where: { $0 <= 0x20 }) else { return nil }
    return name
  }

  /// What a person reads: a string; an array of bytes, as journald writes a message that is not
  /// UTF-8; or a number or truth value as it is written. A line ending at its end is cut off:
  /// Docker keeps the one that a program printed.
  func message(_ leaf: Leaf) -> String? {
    let message: String? =
      switch leaf.kind {
      case .string: text(leaf)
      case .array: byteArray(leaf).map { String(decoding: $0, as: UTF8.self) }
      case .number, .bool: bytes.extracting(leaf.range).repairedString()
      case .object, .null, .end: nil
      }
    // A carriage return and a line feed are one character.
    guard let message, message.last == "\n" || message.last == "\r\n" else { return message }
    return String(message.dropLast())
  }

  /// The bytes that an array of numbers from 0 to 255 stands for.
  private func byteArray(_ leaf: Leaf) -> [UInt8]? {
    var scanner = JSONScanner(bytes.extracting(leaf.range))
    var array: [UInt8] = []
    do {
      try scanner.enterArray()
      while try scanner.nextElement() {
        guard try scanner.peek() == .number, let byte = UInt8(exactly: try scanner.readInt())
        else { return nil }
        array.append(byte)
      }
    } catch {
      return nil
    }
    return array
  }

  /// The value of a tag; nil for what only a payload can hold.
  func tagValue(_ leaf: Leaf) -> LogTagValue? {
    switch leaf.kind {
    case .string: .string(text(leaf))
    case .number: LogTagValue(number: bytes.extracting(leaf.range))
    case .bool: .bool(bytes[leaf.range.lowerBound] == UInt8(ascii: "t"))
    case .null: .json("null")
    case .object, .array, .end: nil
    }
  }
}

extension LogTagValue {
  /// A JSON number, exactly: an integer of 64 bits or a double where that is what was written, else
  /// the text of the number.
  init(number text: RawSpan) {
    var scanner = JSONScanner(text)
    guard let number = try? scanner.readNumber() else {
      self = .json(text.repairedString())
      return
    }
    self.init(number, writtenAs: text)
  }

  /// The value of a number that `text` was read as.
  init(_ number: JSONNumber, writtenAs text: RawSpan) {
    switch number {
    case .int(let value): self = .int(value)
    case .double(let value) where value.isFinite && LogTagValue.isExact(text, value):
      self = .double(value)
    case .double: self = .json(text.repairedString())
    }
  }

  /// Whether `value` says all that `text` does. A double keeps every number of 15 significant
  /// digits apart; with more, its own shortest text must be the one given.
  private static func isExact(_ text: RawSpan, _ value: Double) -> Bool {
    var digits = 0
    for index in 0..<text.byteCount {
      guard text[index] | 0x20 != UInt8(ascii: "e") else { break }
      let digit = text[index] &- 0x30
      if digit < 10, digit > 0 || digits > 0 { digits += 1 }
    }
    // Below the normal range there are fewer digits.
    if digits <= 15, value.isNormal || digits == 0 { return true }
    return text.equals(value.description)
  }
}
