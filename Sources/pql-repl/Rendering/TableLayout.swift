/// Rows of cells in aligned columns, with a header and a rule.
package struct TableLayout {
  package struct Column {
    package let title: String
    /// Numbers stand right.
    package let isRight: Bool
    /// Numbers and times are never cut: what is left of them would be another number or time.
    package let isCuttable: Bool

    package init(_ title: String, isRight: Bool = false, isCuttable: Bool = true) {
      self.title = title
      self.isRight = isRight
      self.isCuttable = isCuttable
    }
  }

  private let columns: [Column]
  /// A column is not made narrower than this.
  package static let minimumWidth = 6
  private static let gap = "  "

  package init(_ columns: [Column]) {
    self.columns = columns
  }

  /// The lines of the table, no wider than `width` columns as far as the minimum widths allow; the
  /// widest columns give way first. Cells must be safe for a terminal.
  package func lines(_ rows: [[String]], width: Int, style: Style) -> [String] {
    let widths = self.widths(rows, limit: width)
    let titles = columns.map(\.title.terminalSafe)
    var lines = [style(line(titles, widths), .bold)]
    let rule = widths.map { String(repeating: "─", count: $0) }
    lines.append(style(line(rule, widths), .dim))
    lines += rows.map { line($0, widths) }
    return lines
  }

  private func widths(_ rows: [[String]], limit: Int) -> [Int] {
    var widths = columns.map { $0.title.terminalSafe.displayWidth }
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], cell.displayWidth)
      }
    }
    var excess = widths.reduce(0, +) + Self.gap.count * (widths.count - 1) - limit
    let cuttable = columns.indices.filter { columns[$0].isCuttable }
    while excess > 0, let widest = cuttable.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.minimumWidth
    {
      // A single widest column goes down to the next one at once; equal ones take turns.
      let next = cuttable.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      let cut = max(1, min(excess, widths[widest] - max(next, Self.minimumWidth)))
      widths[widest] -= cut
      excess -= cut
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { line += Self.gap }
      line += cell.truncated(toWidth: widths[index])
        .padded(toWidth: widths[index], onLeft: columns[index].isRight)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
