import PQL
import SegmentIndex

extension Record {
  /// The record as one line for people.
  package var lineForPeople: String {
    var text = civilText(time, digits: 3) + "Z " + level.name.visible
    text += String(repeating: " ", count: max(1, 8 - level.name.count))
    if let scope = scopes.first { text += scope.visible + "  " }
    text += message.visible
    if let exit { text += " [" + exit.visible + (exitReason.map { ": " + $0.visible } ?? "") + "]" }
    for tag in tags { text += "  " + tag.key.visible + "=" + tag.value.text.visible }
    if let file, let place = line { text += "  (\(file.visible):\(place))" }
    return text
  }
}

extension LogTagValue {
  /// The value as people read it.
  fileprivate var text: String {
    switch self {
    case .string(let value), .json(let value): value
    case .int(let value): String(value)
    case .double(let value): String(value)
    case .bool(let value): String(value)
    }
  }
}

extension String {
  /// The text with control characters as escapes.
  fileprivate var visible: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isControl {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether the scalar moves a cursor, turns text around, or does anything else but stand there.
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    default: false
    }
  }
}
