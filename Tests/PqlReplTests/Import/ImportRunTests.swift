import JournalKit
import PeriscopeCore
import Testing
import pql_repl

@Suite struct ImportRunTests {
  /// What comes of files that are read in pieces of `size` bytes.
  static func run(
    _ files: [(name: String, text: String)], size: Int = 7, helperCount: Int = 1
  ) throws -> (records: [Record], reports: [String], run: ImportRun) {
    var builder = SegmentBuilder()
    final class Reports { var lines: [String] = [] }
    let reports = Reports()
    let reader = LogReader(
      session: UniqueID(bits: 1), now: 5, helpers: HelperThreads(count: helperCount))
    var run = ImportRun(reader) { reports.lines.append($0) }
    for file in files {
      run.begin(file.name)
      let bytes = Array(file.text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        let chunk = Array(bytes[start..<min(bytes.count, start + size)])
        run.append(chunk.rawSpan) { builder.append($0, rows: 0..<$0.count) }
      }
      run.end()
    }
    run.finish { builder.append($0, rows: 0..<$0.count) }
    let records = try Segment(bytes: builder.finish(), name: "test").records()
    return (records, reports.lines, run)
  }

  @Test func readsFilesOneAfterAnother() throws {
    let result = try Self.run([
      ("a", #"{"msg":"one","time":1}"# + "\n\n" + #"{"msg":"two"}"#),
      ("b", #"{"msg":"three"}"# + "\r\n"),
    ])
    #expect(result.records.map(\.message) == ["one", "two", "three"])
    #expect(result.records.map(\.sequence) == [1, 2, 3])
    #expect(result.records.map(\.time) == [1_000_000_000, 1_000_000_000, 1_000_000_000])
    #expect(result.run.recordCount == 3)
    #expect(result.run.undatedCount == 2)
    #expect(result.run.lineCount == 4)
    #expect(result.run.badLineCount == 0)
    #expect(result.reports.isEmpty)
  }

  @Test func reportsBadLinesWithTheirPlace() throws {
    let result = try Self.run([("a", "{}\nnonsense\n"), ("b", #"{"a":1,}"#)])
    #expect(result.records.count == 1)
    #expect(
      result.reports == ["a:2:1: expected an object", "b:1:8: expected a key"])
    #expect(result.run.badLineCount == 2)
  }

  @Test func manyBadLinesAreOnlyCounted() throws {
    let result = try Self.run([("a", String(repeating: "x\n", count: 100))])
    #expect(result.run.badLineCount == 100)
    #expect(result.reports.count == ImportRun.reportLimit + 1)
    #expect(result.reports.last == "further bad lines are only counted")
  }

  @Test func passesOnWhatItsTargetThrows() {
    struct Full: Error {}
    let reader = LogReader(session: UniqueID(bits: 1), now: 0, helpers: HelperThreads(count: 0))
    var run = ImportRun(reader) { _ in }
    run.begin("a")
    run.append(Array("{}\n{}\n".utf8).rawSpan) { _ in }
    run.end()
    #expect(throws: Full.self) {
      try run.finish { _ in throw Full() }
    }
  }
}

@Suite struct ProgressLineTests {
  @Test func isShownTenTimesASecond() {
    var line = ProgressLine(totalByteCount: 10_000_000)
    #expect(line.text(records: 1, bytes: 1, elapsed: .milliseconds(99)) == nil)
    #expect(
      line.text(records: 1_234, bytes: 2_500_000, elapsed: .milliseconds(100))
        == "1,234 records · 25 % of 10.0 MB · 12,340 records/s")
    #expect(line.text(records: 2_000, bytes: 3_000_000, elapsed: .milliseconds(199)) == nil)
    #expect(line.text(records: 2_000, bytes: 3_000_000, elapsed: .milliseconds(200)) != nil)
  }

  @Test func doesWithoutATotal() {
    var line = ProgressLine(totalByteCount: nil)
    #expect(
      line.text(records: 1, bytes: 1_250_000, elapsed: .seconds(2))
        == "1 records · 1.2 MB · 0 records/s")
  }

  @Test func groupsDigits() {
    #expect(grouped(0) == "0")
    #expect(grouped(999) == "999")
    #expect(grouped(1_000) == "1,000")
    #expect(grouped(-1_234_567) == "-1,234,567")
    #expect(grouped(.min) == "-9,223,372,036,854,775,808")
  }
}
