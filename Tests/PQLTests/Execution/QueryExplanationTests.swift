import PQL
import SegmentIndex
import Testing

@Suite struct QueryExplanationTests {
  /// Three segments, an hour apart, of one granule and two.
  private func snapshot() throws -> Snapshot {
    Snapshot(
      segments: try [10, 20, 5_000].enumerated().map { part, count in
        var builder = SegmentBuilder(id: UniqueID(bits: UInt128(part)))
        for row in 0..<count {
          let time = SmallStore.start + Int64(part) * 3_600_000_000_000 + Int64(row) * 1_000_000
          builder.append(
            SmallStore.record(part * 10_000 + row, at: time) {
              $0.event = "e\(part)"
              $0.level = row == 4_500 ? .fault : .info
              $0.line = Int64(row)
            })
        }
        return try Segment(bytes: try builder.finish(), name: "\(part)")
      })
  }

  private func explained(_ text: String) throws -> QueryExplanation {
    let context = QueryContext(now: SmallStore.start + 3 * 3_600_000_000_000)
    return try Query(text).explain(on: snapshot(), context)
  }

  private func skipped(_ explanation: QueryExplanation) -> [String] {
    explanation.parts.map { "\($0.text): \($0.skippedSegmentCount) \($0.skippedGranuleCount)" }
  }

  @Test func partsRuleOut() throws {
    #expect(try skipped(explained("*")) == ["time: 0 0"])
    #expect(try skipped(explained("last 90m")) == ["time: 2 2"])
    #expect(
      try skipped(explained("last 150m event = e2 level = fault")) == [
        "time: 1 1", #"event = "e2": 1 1"#, #"level = "fault": 0 1"#,
      ])
    // What one part has ruled out is not counted for the next; what does not help counts nothing.
    #expect(
      try skipped(explained("event = e0 event = e1 record line > 3 | where len(message) > 2")) == [
        "time: 0 0", #"event = "e0": 2 3"#, #"event = "e1": 1 1"#, #""record": 0 0"#,
        "line > 3: 0 0",
        "len(message) > 2: 0 0",
      ])
  }

  @Test func computedColumnsAndLaterStages() throws {
    let explanation = try explained(
      "level = fault | extend x = line * 2 | where x > 8999 | limit 3 | where event = e0")
    #expect(
      skipped(explanation) == ["time: 0 0", #"level = "fault": 2 3"#, "x > 8999: 0 0"])
    #expect(explanation.summary.matchedCount == 1)
    #expect(explanation.summary.scannedGranuleCount == 1)
  }

  @Test func isShown() throws {
    let explanation = try explained("event = e2 level = fault record | count")
    let byteCount = explanation.summary.readByteCount
    #expect((1..<10_000).contains(byteCount))
    #expect(
      explanation.description == """
        explain: event = "e2" and level = "fault" and "record" | stats count()
          segments 3  event = "e2" skipped 2 | looked at 1
          granules 4  event = "e2" skipped 2 | level = "fault" skipped 1 | read 1, about \(byteCount)B
          records  5030  tested 904 -> 1
          order    any, into groups
          not used "record"
        """)
    #expect(try explained("").description.contains("stops early"))
    #expect(try explained("| sort line | limit 5").order == "sorted, the first ones kept")
    #expect(try explained("| sort line").order == "sorted")
    #expect(try explained("| dedup event").order.contains("older key"))
    #expect(try explained("| spans").order.contains("whole spans"))
  }

  @Test func moreIsReadForMoreColumns() throws {
    func byteCount(_ text: String) throws -> Int {
      try explained(text).summary.readByteCount
    }
    #expect(try byteCount("| count") == 0)
    let line = try byteCount("line > 3 | count")
    #expect(line > 0)
    #expect(try byteCount("line > 3 | stats sum(sequence)") > line)
  }

  @Test func gapsAreShown() throws {
    let gap = Gap(
      file: "journals/x", cause: .lostSegment, missing: 5,
      timeRange: SmallStore.start...SmallStore.start + 1)
    let context = QueryContext(now: SmallStore.start)
    let snapshot = Snapshot(segments: try snapshot().segments, gaps: [gap])
    let explanation = try Query("| count").explain(on: snapshot, context)
    #expect(
      explanation.description.hasSuffix(
        "\n  gap      journals/x: a segment is lost, 2026-09-01T00:00:00Z to "
          + "2026-09-01T00:00:00.000000001Z, about 5 records not seen"))
  }
}
