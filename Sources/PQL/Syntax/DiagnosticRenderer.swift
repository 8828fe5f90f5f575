/// Shows a diagnostic with the line of the query it is about and a caret under the place.
///
/// ```
/// error[P107]: there is no stage `cuont`
///   | timeout | cuont by level
///   |           ^^^^^
///   = help: did you mean `count`?
/// ```
/// The query's text is hostile to terminals like any other text: what could control one is escaped, and
/// no more than `width` columns are echoed.
package struct DiagnosticRenderer {
  /// Columns of the query's text shown around the place.
  private static let width = 80

  private let query: [UInt8]

  package init(query: [UInt8]) {
    self.query = query
  }

  /// The diagnostic's lines, without a final line feed.
  package func render(_ diagnostic: Diagnostic) -> String {
    var lines = ["error[\(diagnostic.code.rawValue)]: \(shown(diagnostic.message))"]
    let line = Line(query, around: diagnostic.range.lowerBound)
    let hasPlace = !diagnostic.code.isOfRun
    if hasPlace, !line.cells.isEmpty || diagnostic.range.isEmpty && !query.isEmpty {
      let window = line.window(around: diagnostic.range, width: Self.width)
      lines.append("  | " + window.text)
      lines.append("  | " + window.mark(diagnostic.range, "^", diagnostic.label))
      for label in diagnostic.labels where window.shows(label.range) {
        lines.append("  | " + window.mark(label.range, "-", label.text))
      }
    }
    lines += diagnostic.helps.map { "  = help: " + shown($0.text) }
    if 1...6 ~= diagnostic.expected.count, diagnostic.helps.isEmpty, diagnostic.expected.count > 1 {
      lines.append("  = expected: " + diagnostic.expected.map { "`\($0)`" }.joined(separator: " "))
    }
    lines += diagnostic.notes.map { "  = note: " + shown($0) }
    return lines.joined(separator: "\n")
  }

  /// Messages quote pieces of the query; they stay on one line.
  private func shown(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars { result += escaped(scalar) }
    return result
  }
}

/// One line of the query as it is shown.
private struct Line {
  /// What one scalar, or one byte that is not UTF-8, looks like.
  struct Cell {
    let range: Range<Int>
    let text: String
    let width: Int
  }

  private(set) var cells: [Cell] = []
  /// Where the line ends in the query.
  private let end: Int

  init(_ query: [UInt8], around position: Int) {
    let position = min(position, query.count)
    var start = position
    while start > 0, query[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    // Enough for any window; a line can be 64 KiB long.
    start = max(start, position - 4_096)
    while start < position, query[start] & 0xc0 == 0x80 { start += 1 }
    var at = start
    while at < query.count, query[at] != UInt8(ascii: "\n"), at < position + 4_096 {
      let (text, width, length) = Line.appearance(of: query, at: at)
      cells.append(Cell(range: at..<at + length, text: text, width: width))
      at += length
    }
    end = at
  }

  private static func appearance(of query: [UInt8], at position: Int) -> (String, Int, Int) {
    guard let (scalar, length) = query.scalar(at: position) else {
      return ("\\x" + String(query[position], radix: 16), 4, 1)
    }
    if scalar == "\t" { return (" ", 1, 1) }
    let text = escaped(scalar)
    return (text, text.unicodeScalars.count > 1 ? text.count : scalar.displayWidth, length)
  }

  /// The part of the line that fits, with the beginning of `range` in it.
  func window(around range: Range<Int>, width: Int) -> Window {
    let total = cells.reduce(0) { $0 + $1.width }
    guard total > width else { return Window(cells: cells[...], before: "", after: "", end: end) }
    let target = cells.firstIndex { $0.range.upperBound > range.lowerBound } ?? cells.count
    // A third of the room goes to what stands before.
    var first = target
    var used = 0
    while first > 0, used + cells[first - 1].width <= width / 3 {
      first -= 1
      used += cells[first].width
    }
    var last = target
    while last < cells.count, used + cells[last].width <= width - 2 {
      used += cells[last].width
      last += 1
    }
    return Window(
      cells: cells[first..<last], before: first > 0 ? "…" : "",
      after: last < cells.count ? "…" : "",
      end: end)
  }
}

/// The visible part of a line.
private struct Window {
  let cells: ArraySlice<Line.Cell>
  let before: String
  let after: String
  let end: Int

  var text: String { before + cells.map(\.text).joined() + after }

  func shows(_ range: Range<Int>) -> Bool {
    cells.contains { $0.range.overlaps(range) }
  }

  /// Spaces up to `range`, `sign` under it, and a few words behind.
  func mark(_ range: Range<Int>, _ sign: String, _ label: String) -> String {
    let offset =
      cells.prefix { $0.range.upperBound <= range.lowerBound }.reduce(before.count) {
        $0 + $1.width
      }
    let width = cells.filter { $0.range.overlaps(range) }.reduce(0) { $0 + $1.width }
    let marks = String(repeating: sign, count: max(1, width))
    return String(repeating: " ", count: offset) + marks + (label.isEmpty ? "" : " " + label)
  }
}
