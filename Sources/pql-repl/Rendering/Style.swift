package import PeriscopeCore

/// Colours, or none.
package struct Style: Equatable {
  package enum Paint: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case brightRed = "1;31"
    case yellow = "33"
    case blue = "34"
    case cyan = "36"
  }

  package let isColored: Bool

  package static let plain = Style(isColored: false)

  package func callAsFunction(_ text: String, _ paint: Paint?) -> String {
    guard isColored, let paint, !text.isEmpty else { return text }
    return "\u{1b}[\(paint.rawValue)m\(text)\u{1b}[0m"
  }

  /// The colour of a level. It only repeats what the level's name says.
  package static func paint(for level: LogLevel) -> Paint? {
    switch level.severity {
    case LogLevel.fault.severity...: .brightRed
    case LogLevel.error.severity...: .red
    case LogLevel.warning.severity...: .yellow
    case LogLevel.notice.severity...: .blue
    case LogLevel.info.severity...: nil
    default: .dim
    }
  }

  /// Whether to colour: the option decides, else the output and the environment do. `NO_COLOR`
  /// counts when it is not empty (no-color.org).
  package init(_ choice: Options.Color, isTerminal: Bool, environment: (String) -> String?) {
    switch choice {
    case .always: isColored = true
    case .never: isColored = false
    case .auto:
      isColored =
        isTerminal && environment("NO_COLOR") ?? "" == "" && environment("TERM") != "dumb"
    }
  }

  private init(isColored: Bool) {
    self.isColored = isColored
  }
}
