package import PeriscopeCore

/// Writes the rows of a result.
package struct ResultRenderer {
  private let mode: Options.Mode
  private let zone: TimeZoneRules
  private let style: Style
  /// Whether a table gets a bar for each count.
  private let hasBars: Bool
  private static let barWidth = 30

  package init(mode: Options.Mode, zone: TimeZoneRules, style: Style, hasBars: Bool = false) {
    self.mode = mode
    self.zone = zone
    self.style = style
    self.hasBars = hasBars
  }

  /// Writes the rows in the renderer's mode.
  package func write(_ result: QueryResult, to output: Output) {
    switch (mode, result.rows) {
    case (.log, .records(let records)), (.ndjson, .records(let records)):
      write(records, to: output)
    case (.ndjson, _): result.forEachJSONLine { output.write(utf8: $0) }
    case (.csv, .records(let records)):
      let (columns, rows) = table(of: records, RecordColumn.all)
      writeCSV(columns, rows, output)
    case (.csv, .table(let columns, let rows)):
      writeCSV(columns, rows, output)
    case (.table, .records(let records)):
      let (columns, rows) = table(of: records, RecordColumn.inTables)
      writeTable(columns, rows, result.summary, isExact: false, output)
    case (.table, .table(let columns, let rows)), (.log, .table(let columns, let rows)):
      writeTable(columns, rows, result.summary, output)
    }
  }

  /// Writes some of an answer's records as log lines or JSON lines.
  func write(_ records: [Record], to output: Output) {
    if mode == .ndjson {
      QueryResult.forEachJSONLine(of: records) { output.write(utf8: $0) }
    } else {
      let layout = LogLayout(zone: zone, style: style, width: output.width)
      for record in records { output.write(layout.text(record)) }
    }
  }

  private func table(
    of records: [Record], _ columns: [RecordColumn]
  ) -> (columns: [String], rows: TableRows) {
    let rows = records.map { record in columns.map { $0.value(record) } }
    return (columns.map(\.name), TableRows(rows))
  }

  /// - Parameter isExact: whether times that need more digits than three get them: two bins must not
  ///   have one label.
  private func writeTable(
    _ columns: [String], _ rows: TableRows, _ summary: QuerySummary, isExact: Bool = true,
    _ output: Output
  ) {
    guard !rows.isEmpty else { return }
    // Made once, because each value is looked at several times.
    let rows = Array(rows)
    var layout = columns.enumerated().map { index, name in
      // A column is one of numbers if everything in it is a number.
      let values = rows.lazy.compactMap { $0[index] }
      return TableLayout.Column(
        name.terminalSafe, isRight: values.allSatisfy(\.isNumber),
        isCuttable: values.allSatisfy(\.isCuttable))
    }
    let isApproximate = columns.map(summary.approximateColumns.contains)
    let timeDigits = columns.indices.map { index in
      isExact && rows.contains { $0[index]?.isFinerThanMilliseconds == true } ? 9 : 3
    }
    var cells = rows.map { row in
      row.enumerated().map { index, value in
        guard let value else { return "" }
        return (isApproximate[index] ? "~" : "")
          + value.text(in: zone, timeDigits: timeDigits[index])
      }
    }
    if hasBars, let column = columns.lastIndex(of: "count") {
      let counts = rows.map { row in
        if case .int(let count) = row[column] { count } else { 0 as Int64 }
      }
      let maximum = counts.max() ?? 0
      layout.append(TableLayout.Column(""))
      for (index, count) in counts.enumerated() {
        cells[index].append(bar(count, of: maximum, width: Self.barWidth))
      }
    }
    let lines = TableLayout(layout).lines(cells, width: output.width, style: style)
    for line in lines { output.line(line) }
  }

  private func writeCSV(_ columns: [String], _ rows: TableRows, _ output: Output) {
    output.write(csvRow(columns))
    for row in rows { output.write(csvRow(row.map { $0.map(csvText) ?? "" })) }
  }

  /// The value for programs: as in NDJSON, without a string's quotes.
  private func csvText(_ value: Value) -> String {
    switch value {
    case .string(let text), .json(let text): return text
    case .time(let time): return TimeZoneRules.utc.text(time, digits: 9)
    case .level(let level): return level.name
    case .uuid(let id): return id.description
    case .bool, .int, .double, .duration, .size, .list:
      var json = JSONWriter()
      json.value(value)
      // A number that JSON has no digits for is a word in quotes.
      let isWord = json.bytes.first == UInt8(ascii: "\"")
      let text = isWord ? json.bytes.dropFirst().dropLast() : json.bytes[...]
      return String(decoding: text, as: UTF8.self)
    }
  }
}
