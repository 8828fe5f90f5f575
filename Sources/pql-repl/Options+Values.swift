import PQL

// The forms of option values.

extension Options.Zone {
  /// `local`, `utc`, `Z`, a zone such as `Europe/Berlin`, or an offset such as `+02:00`, `+0530` or `-7`.
  init?(_ text: String) {
    switch text.lowercased() {
    case "local": self = .local
    case "utc", "z": self = .fixed(0)
    default:
      guard let sign = text.first, sign == "+" || sign == "-" else {
        guard let rules = TimeZoneRules(named: text) else { return nil }
        self = .rules(rules)
        return
      }
      var digits = text.dropFirst().filter { $0 != ":" }
      if digits.count <= 2 { digits += "00" }
      guard digits.allSatisfy(\.isASCII), (3...4).contains(digits.count),
        let number = Int32(digits), number / 100 < 24, number % 100 < 60, number >= 0
      else { return nil }
      self = .fixed((number / 100 * 3_600 + number % 100 * 60) * (sign == "-" ? -1 : 1))
    }
  }
}

extension Options.Parameter {
  /// `name=value` or `name:type=value`.
  init(_ text: String) throws(UsageError) {
    guard let equals = text.firstIndex(of: "=") else {
      throw UsageError("-p needs NAME=VALUE")
    }
    let left = text[..<equals].split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = left.first.map(String.init) ?? ""
    guard !name.isEmpty else { throw UsageError("-p needs a name before =") }
    let value = String(text[text.index(after: equals)...])
    self.init(name: name, text: value, type: left.count == 2 ? String(left[1]) : nil)
  }
}

extension Options {
  /// Nanoseconds of a PQL duration such as `1m30s`; nil for anything else.
  static func duration(_ text: String) -> Int64? {
    guard case .exact(let nanoseconds) = Quantity.duration(text) else { return nil }
    return nanoseconds
  }

  /// A size in bytes, as queries write it.
  static func size(_ text: String) -> Int64? {
    guard case .exact(let bytes) = Quantity.size(text) else { return nil }
    return bytes
  }
}
