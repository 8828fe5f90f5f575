import JournalKit
import PeriscopeCore
import SegmentIndex
import TestSupport
import Testing

@Suite struct LogReaderTests {
  /// What one importer makes of all lines, one after another.
  static func oneByOne(_ logs: [String]) throws -> (records: [Record], problems: [String]) {
    var importer = LineImporter()
    var (batch, problems) = (RecordBatch(), [String]())
    for log in logs {
      for (index, line) in log.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      {
        do {
          try importer.read(Array(line.utf8).rawSpan, lineNumber: index + 1, into: &batch)
        } catch {
          problems.append("\(error)")
        }
      }
    }
    return (try records(batch), problems)
  }

  static func records(_ batch: RecordBatch) throws -> [Record] {
    var builder = SegmentBuilder()
    builder.append(batch, rows: 0..<batch.count)
    return try Segment(bytes: builder.finish(), name: "test").records()
  }

  /// A log of about 1.5 MB, so that it makes several blocks: a few lines are bad, blank, or have no time.
  static func log(_ random: inout SeededRandom) -> String {
    var log = ""
    for line in 0..<Int.random(in: 8_000...12_000, using: &random) {
      switch Int.random(in: 0..<2_000, using: &random) {
      case 0: log += "nonsense\n"
      case 1: log += "\n"
      case 2: log += #"{"msg":"undated"}"# + "\n"
      default:
        log += #"{"time":\#(1_767_225_600_000 + line),"msg":"line \#(line)","padding":"# + "\""
        log += String(repeating: "x", count: 80) + "\"}\n"
      }
    }
    return log
  }

  @Test(arguments: [0, 1, 3]) func readsAsIfLineByLine(helperCount: Int) throws {
    var random = SeededRandom(seed: UInt64(helperCount))
    let logs = [Self.log(&random), Self.log(&random)]
    var reader = LogReader(
      session: LineImporter.testSession, now: LineImporter.testTime,
      helpers: HelperThreads(count: helperCount))
    var builder = SegmentBuilder()
    var (problems, batchCount) = ([String](), 0)
    func take(_ batch: LineBatch) {
      builder.append(batch.records, rows: 0..<batch.records.count)
      problems += batch.problems
      batchCount += 1
    }
    for (index, log) in logs.enumerated() {
      reader.begin("log \(index)")
      let bytes = Array(log.utf8)
      for start in stride(from: 0, to: bytes.count, by: 100_000) {
        let chunk = Array(bytes[start..<min(bytes.count, start + 100_000)])
        if let batch = reader.append(chunk.rawSpan) { take(batch) }
      }
      reader.end()
    }
    while let batch = reader.next() { take(batch) }
    let expected = try Self.oneByOne(logs)
    let found = try Segment(bytes: builder.finish(), name: "test").records()
    #expect(found == expected.records, "\(random)")
    #expect(problems == expected.problems, "\(random)")
    #expect(batchCount > 4)
  }
}
