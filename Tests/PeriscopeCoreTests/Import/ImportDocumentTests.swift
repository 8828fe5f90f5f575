import Foundation
import PeriscopeCore
import SegmentIndex
import Testing

/// The tables of `docs/import.md` say what the importer does.
@Suite struct ImportDocumentTests {
  /// The rows of the table under a heading, as cells.
  static func table(under heading: String) throws -> [[String]] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "docs/import.md"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("#") && $0.hasSuffix(heading) })
    return lines[(start + 1)...].prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("|") }
      .dropFirst(2).map { line in
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }

  /// The words between back ticks.
  static func names(in cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }
      .flatMap { $0.element.split(separator: " ").map(String.init) }
  }

  @Test func everyKeyHasItsMeaning() throws {
    let rows = try Self.table(under: "Keys")
    #expect(rows.count == 9)
    for row in rows {
      let names = Self.names(in: row[1])
      #expect(!names.isEmpty)
      for name in names {
        let value =
          switch (row[0], name) {
          case ("event", _): "a.b"
          case ("level", "severityNumber"): "17"
          case ("level", "levelno"): "40"
          case ("level", _): "3"
          default: "7"
          }
        let record = try LineImporter.record(#"{"\#(name)":"\#(value)"}"#)
        let isRead =
          switch row[0] {
          case "time": record.time != LineImporter.testTime
          case "level": record.level == .error
          case "message": record.message == value
          case "event": record.event == value
          case "scope": record.scopes == [value]
          case "file": record.file == value
          case "line": record.line == 7
          case "function": record.function == value
          case "external id": record.externalID == value
          default: false
          }
        #expect(isRead && record.tags.isEmpty, "\(row[0]): \(name)")
      }
    }
  }

  @Test func betterKeysStandFirst() throws {
    for row in try Self.table(under: "Keys") where row[0] == "message" || row[0] == "scope" {
      let names = Self.names(in: row[1])
      for (better, worse) in zip(names, names.dropFirst()) {
        let record = try LineImporter.record(#"{"\#(worse)":"worse","\#(better)":"better"}"#)
        let found = row[0] == "message" ? record.message : record.scopes.first
        #expect(found == "better", "\(better) before \(worse)")
      }
    }
  }

  @Test func everyLevelNameHasItsSeverity() throws {
    let rows = try Self.table(under: "Level")
    #expect(rows.count == 9)
    for row in rows {
      let level = LogLevel(row[1], severity: try #require(Int32(row[2])))
      for name in Self.names(in: row[0]) {
        #expect(try LineImporter.record(#"{"level":"\#(name)"}"#).level == level, "\(name)")
      }
    }
  }
}
