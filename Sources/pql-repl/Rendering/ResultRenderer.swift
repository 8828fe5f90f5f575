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
    case (.log, .records(let records)):
      let layout = LogLayout(zone: zone, style: style, width: output.width)
      for record in records { output.write(layout.text(record)) }
    case (.ndjson, _): result.forEachJSONLine { output.write(utf8: $0) }
    case (.csv, .records(let records)):
      writeCSV(RecordColumn.all.map(\.name), records.map(RecordColumn.values), output)
    case (.csv, .table(let columns, let rows)):
      writeCSV(columns, rows, output)
    case (.table, .records(let records)):
      let columns = RecordColumn.all.filter(\.isInTables)
      let rows = records.map { record in columns.map { $0.value(record) } }
      writeTable(columns.map(\.name), rows, result.summary, output)
    case (.table, .table(let columns, let rows)), (.log, .table(let columns, let rows)):
      writeTable(columns, rows, result.summary, output)
    }
  }

  private func writeTable(
    _ columns: [String], _ rows: [[Value?]], _ summary: QuerySummary, _ output: Output
  ) {
    guard !rows.isEmpty else { return }
    var layout = columns.enumerated().map { index, name in
      // A column is one of numbers if everything in it is a number.
      let values = rows.lazy.compactMap { $0[index] }
      return TableLayout.Column(
        name.terminalSafe, isRight: values.allSatisfy(\.isNumber),
        isCuttable: values.allSatisfy(\.isCuttable))
    }
    let isApproximate = columns.map(summary.approximateColumns.contains)
    var cells = rows.map { row in
      row.enumerated().map { index, value in
        guard let value else { return "" }
        return (isApproximate[index] ? "~" : "") + value.text(in: zone)
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

  private func writeCSV(_ columns: [String], _ rows: [[Value?]], _ output: Output) {
    output.write(csvRow(columns))
    for row in rows { output.write(csvRow(row.map { $0.map(csvText) ?? "" })) }
  }

  /// The value for programs: as in NDJSON, without a string's quotes.
  private func csvText(_ value: Value) -> String {
    switch value {
    case .duration(let value), .size(let value): String(value)
    case .time(let value): zone.text(value, digits: 9)
    default: value.description
    }
  }
}

/// A column of records where records are rows.
struct RecordColumn: Sendable {
  let name: String
  /// Whether it is one of the few that a terminal has room for.
  let isInTables: Bool
  let value: @Sendable (Record) -> Value?

  private init(
    _ name: String, isInTables: Bool = false, _ value: @escaping @Sendable (Record) -> Value?
  ) {
    self.name = name
    self.isInTables = isInTables
    self.value = value
  }

  static func values(of record: Record) -> [Value?] {
    all.map { $0.value(record) }
  }

  static let all: [RecordColumn] = [
    RecordColumn("time", isInTables: true) { .time($0.time) },
    RecordColumn("level", isInTables: true) { .level($0.level) },
    RecordColumn("scope", isInTables: true) {
      $0.scopes.isEmpty ? nil : .list($0.scopes.map(Value.string))
    },
    RecordColumn("event", isInTables: true) { .string($0.event) },
    RecordColumn("message", isInTables: true) { .string($0.message) },
    RecordColumn("exit") { $0.exit.map(Value.string) },
    RecordColumn("duration") { $0.duration.map(Value.duration) },
    RecordColumn("tags") { record in
      guard !record.tags.isEmpty else { return nil }
      var json = JSONWriter()
      json.value(record.tags)
      return .json(String(decoding: json.bytes, as: UTF8.self))
    },
    RecordColumn("payload") { record in
      record.payload.isEmpty ? nil : .json(String(decoding: record.payload, as: UTF8.self))
    },
    RecordColumn("span") { $0.span.map(Value.uuid) },
    RecordColumn("function") { $0.function.map(Value.string) },
    RecordColumn("file") { $0.file.map(Value.string) },
    RecordColumn("line") { $0.line.map(Value.int) },
    RecordColumn("extid") { $0.externalID.map(Value.string) },
    RecordColumn("session") { .uuid($0.session) },
    RecordColumn("id") { .uuid($0.id) },
  ]
}
