/// Says how far an import is, on one line that is written over and over.
package struct ProgressLine {
  /// At most ten times a second.
  package static let interval = Duration.milliseconds(100)

  /// Bytes to be read in all, if that is known.
  package let totalByteCount: Int?
  private var lastShown: Duration = .zero

  package init(totalByteCount: Int?) {
    self.totalByteCount = totalByteCount
  }

  /// The line to show `elapsed` after the start; nil when the last one is too recent.
  package mutating func text(records: Int, bytes: Int, elapsed: Duration) -> String? {
    guard elapsed - lastShown >= Self.interval else { return nil }
    lastShown = elapsed
    var parts = ["\(grouped(records)) records"]
    if let total = totalByteCount, total > 0 {
      // A file may grow while it is read.
      parts.append("\(min(100, bytes * 100 / total)) % of \(megabytes(total))")
    } else {
      parts.append(megabytes(bytes))
    }
    parts.append("\(grouped(perSecond(records, elapsed))) records/s")
    return parts.joined(separator: " · ")
  }
}

/// How many a second.
package func perSecond(_ count: Int, _ elapsed: Duration) -> Int {
  let milliseconds = Int(elapsed / .milliseconds(1))
  return milliseconds > 0 ? count * 1_000 / milliseconds : count
}

/// `1,234,567`
package func grouped(_ number: Int) -> String {
  let digits = String(number.magnitude)
  var text = ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return (number < 0 ? "-" : "") + text
}

/// `12.3 MB`
package func megabytes(_ bytes: Int) -> String {
  let tenths = bytes / 100_000
  return "\(tenths / 10).\(tenths % 10) MB"
}
