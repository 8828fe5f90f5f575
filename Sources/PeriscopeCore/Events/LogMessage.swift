/// A text to be logged that knows which of its parts were values.
///
/// ```swift
/// log.info("user \(name, privacy: .private) imported \(count) photos")
/// ```
///
/// It is written as a string literal. Everywhere it reads as plain text; `template` tells messages that were written
/// by the same line of code. A value that is private is replaced when the message is made, so nothing that gets the
/// message can tell it.
///
/// The store keeps the text alone: it finds out by itself which parts of many texts are the same, for all records and
/// not only for those that were written this way.
public struct LogMessage: Sendable, Hashable {
  /// What a person reads.
  public private(set) var text: String
  /// Where the values stand, in UTF-8 bytes: the beginning and the end of each.
  private var bounds: [Int32] = []

  /// A text without values.
  public init(_ text: String) {
    self.text = text
  }

  /// The text with `{}` in the place of each value.
  public var template: String {
    var template = ""
    var position = 0
    for index in stride(from: 0, to: bounds.count, by: 2) {
      template += piece(position, Int(bounds[index]))
      template += "{}"
      position = Int(bounds[index + 1])
    }
    return template + piece(position, text.utf8.count)
  }

  /// The values as they stand in the text.
  public var values: [Substring] {
    stride(from: 0, to: bounds.count, by: 2).map { piece(Int(bounds[$0]), Int(bounds[$0 + 1])) }
  }

  private func piece(_ start: Int, _ end: Int) -> Substring {
    let utf8 = text.utf8
    return text[
      utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)]
  }
}

extension LogMessage: ExpressibleByStringInterpolation {
  /// A text without values.
  public init(stringLiteral text: String) {
    self.init(text)
  }

  /// A text with values.
  public init(stringInterpolation parts: StringInterpolation) {
    self.init(parts.text)
    bounds = parts.bounds
  }

  /// The parts of a message while it is made.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var bounds: [Int32] = []

    /// Nothing yet.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
      bounds.reserveCapacity(2 * interpolationCount)
    }

    /// Adds a literal part.
    public mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    /// Adds text.
    public mutating func appendInterpolation(_ value: String) {
      append { $0 += value }
    }

    // For the types that stand in most messages: a value of any type takes several times as long.

    /// Adds a whole number.
    public mutating func appendInterpolation(_ value: Int) {
      append { $0 += value.description }
    }

    /// Adds a number.
    public mutating func appendInterpolation(_ value: Double) {
      append { $0 += value.description }
    }

    /// Adds a whole number.
    public mutating func appendInterpolation(_ value: some BinaryInteger & CustomStringConvertible)
    {
      append { $0 += String(value) }
    }

    /// Adds a value as `print` would show it.
    public mutating func appendInterpolation(_ value: some Any) {
      append { $0 += String(describing: value) }
    }

    /// Adds a type's name.
    public mutating func appendInterpolation(_ type: any Any.Type) {
      append { $0 += String(describing: type) }
    }

    /// Adds a value, or what stands for it. A private value's `description` is not even asked for.
    public mutating func appendInterpolation(_ value: some Any, privacy: LogPrivacy) {
      switch privacy {
      case .public: append { $0 += String(describing: value) }
      case .private: append { $0 += "<private>" }
      case .hash: append { $0 += "<private \(PrivateHash.text(of: String(describing: value)))>" }
      }
    }

    private mutating func append(_ body: (inout String) -> Void) {
      bounds.append(Int32(clamping: text.utf8.count))
      body(&text)
      bounds.append(Int32(clamping: text.utf8.count))
    }
  }
}

extension LogMessage: CustomStringConvertible {
  /// The text.
  public var description: String { text }
}
