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
  private var bounds = LogMessageBounds()

  /// A text without values.
  public init(_ text: String) {
    self.text = text
  }

  /// The text with `{}` in the place of each value.
  public var template: String {
    var template = ""
    var position = 0
    for bounds in bounds.all {
      template += piece(position, bounds.lowerBound)
      template += "{}"
      position = bounds.upperBound
    }
    return template + piece(position, text.utf8.count)
  }

  /// The values as they stand in the text.
  public var values: [Substring] {
    bounds.all.map { piece($0.lowerBound, $0.upperBound) }
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
  public init(stringInterpolation parts: consuming StringInterpolation) {
    bounds = parts.bounds
    text = parts.finish()
  }
}

extension LogMessage: CustomStringConvertible {
  /// The text.
  public var description: String { text }
}
