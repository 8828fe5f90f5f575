/// The spelling of numbers: `42`, `1_000`, `1.5`, `6.02e23`.
package enum NumberText {
  /// Whether `word` is a number: `digits[_digits][.digits][e[+-]digits]`.
  package static func matches(_ word: String) -> Bool {
    var rest = Array(word.utf8)[...]
    func take(_ condition: (UInt8) -> Bool) -> Int {
      let count = rest.prefix(while: condition).count
      rest.removeFirst(count)
      return count
    }
    let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    guard let first = rest.first, isDigit(first) else { return false }
    _ = take { isDigit($0) || $0 == UInt8(ascii: "_") }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard take(isDigit) > 0 else { return false }
    }
    if let sign = rest.first, sign == UInt8(ascii: "e") || sign == UInt8(ascii: "E") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
        rest.removeFirst()
      }
      guard take(isDigit) > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// Whether a number's text has neither fraction nor exponent.
  static func isWhole(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
  }

  /// The value of a number's text, with `sign` in front; nil when it does not fit.
  package static func value(_ text: String, sign: String = "") -> Literal? {
    let digits = sign + text.filter { $0 != "_" }
    if isWhole(text) { return Int64(digits).map(Literal.int) }
    return Double(digits).flatMap { $0.isFinite ? .double($0) : nil }
  }

  /// The value of a text that is a number with a sign or without; nil when it is none or does not fit.
  static func signedValue(_ text: String) -> Literal? {
    let sign = text.utf8.first == UInt8(ascii: "-") ? "-" : ""
    let digits = String(text.dropFirst(sign.count))
    return matches(digits) ? value(digits, sign: sign) : nil
  }

  /// The spelling of a finite double that reads back as the same value.
  static func text(_ value: Double) -> String {
    value.description.filter { $0 != "+" }
  }
}
