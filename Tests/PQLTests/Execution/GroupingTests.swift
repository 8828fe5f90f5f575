import PQL
import SegmentIndex
import TestSupport
import Testing

@Suite struct GroupingTests {
  /// Groupings by a bin of time that are not only counted by code.
  private static let bins = ["1h", "1d", "1w", "10m", "36h"].flatMap { width in
    ["avg(line)", "distinct(message), sum(line)", "count() by event"].map { aggregates in
      aggregates.contains(" by ")
        ? "| stats \(aggregates), bin(time, \(width)), level"
        : "| stats \(aggregates) by bin(time, \(width))"
    }
  }

  /// The ends of what 64 bits hold are in no bin that ends before them.
  @Test(arguments: [.max, .max - 1, .min, .min + 1] as [Int64])
  func recordsAtTheEndOfTimeAreGrouped(_ time: Int64) throws {
    let records = [time, time, SmallStore.start].enumerated().map { index, time in
      SmallStore.record(index, at: time) { $0.line = Int64(index) }
    }
    let store = try SmallStore(records)
    for text in Self.bins { #expect(try store.rows(text).count == 2, "\(text)") }
  }

  /// Where clocks are set back over midnight, an hour of the day before comes after the new day's first minute.
  @Test func recordsOfAnHourThatComesAgainAreGrouped() throws {
    let first: Int64 = 1_289_088_000  // 2010-11-07T00:00Z
    let records = (0..<60).map { index in
      SmallStore.record(index, at: (first + Int64(index) * 360) * 1_000_000_000) {
        $0.line = Int64(index)
      }
    }
    var store = try SmallStore(records)
    store.context.zone = TimeZoneRulesTests.stJohns
    for text in Self.bins + ["| count by bin(time, 1d)", "| timeline every 10m"] {
      #expect(try !store.rows(text).isEmpty, "\(text)")
    }
    #expect(try store.rows("| count by bin(time, 1d)").count == 2)
  }

  /// Eight keys of 513 terms each have more combinations than 64 bits can number.
  @Test func manyKeysOfManyValuesStayApart() throws {
    let names = (1...8).map { "t\($0)" }
    var records = (0..<511).map { value in
      SmallStore.record(value) { record in
        record.tags = names.map { LogTag($0, .int(Int64(value))) }
      }
    }
    for (index, first) in [0, 2, 4, 6].enumerated() {
      records.append(
        SmallStore.record(511 + index) { record in
          record.message = "special"
          record.tags = names.map { LogTag($0, .int($0 == "t1" ? Int64(first) : 7)) }
        })
    }
    let store = try SmallStore(records)
    let keys = names.map { "tag.\($0)" }.joined(separator: ", ")
    #expect(try store.rows("special | count by \(keys)").count == 4)
    #expect(try store.rows("special | count by bin(time, 1d), \(keys.dropLast(8))").count == 4)
  }

  /// Sums that 64 bits hold are added there, and others are not.
  @Test(arguments: [1 << 20, 1 << 49, 1 << 50, .max] as [Int64])
  func sumsAreExactHoweverLarge(_ magnitude: Int64) throws {
    var random = SeededRandom(seed: UInt64(magnitude))
    let records = (0..<900).map { index in
      SmallStore.record(index) { record in
        record.event = "event \(index % 5)"
        if index % 7 > 0 { record.line = .random(in: -magnitude...magnitude, using: &random) }
        if index % 3 > 0 { record.duration = .random(in: 0...magnitude, using: &random) }
        record.payload = Array("{\"n\":\(Int64.random(in: 0...magnitude, using: &random))}".utf8)
      }
    }
    for segmentCount in 1...2 {
      let store = try SmallStore(records, segmentCount: segmentCount)
      let sums = "sum(line), avg(line), sum(duration), avg(duration), sum(payload.n)"
      #expect(try store.rows("| stats \(sums)").count == 1)
      #expect(try store.rows("| stats \(sums) by event").count == 5)
      #expect(try !store.rows("line > 0 | stats \(sums) by bin(time, 1m)").isEmpty)
    }
  }

  /// A granule is as full as it can be, and all its values are as great: the sum of 4,096 such values just fits 64 bits, or
  /// just does not. With 300 groups no sums are kept in 64 bits.
  @Test(arguments: [(1 << 50) - 1, 1 << 50, (1 << 51) - 1, 1 << 51, -(1 << 51)] as [Int64])
  func sumsOfAFullGranuleAreExact(_ value: Int64) throws {
    let records = (0..<Segment.granuleRowCount).map { index in
      SmallStore.record(index) { record in
        record.line = value
        record.duration = value
        record.tags = [LogTag("part", .int(Int64(index % 300))), LogTag("one", .int(1))]
      }
    }
    let store = try SmallStore(records)
    let sums = "sum(line), avg(line), sum(duration), avg(duration)"
    // A row more or less would not do.
    #expect(try store.run("| stats \(sums)").table?.rows[0][1] == .int(value))
    #expect(try store.rows("| stats \(sums) by tag.one").count == 1)
    #expect(try store.rows("| stats \(sums) by tag.part").count == 300)
  }

  /// Bins of every size, of rows that are many or few: each count is that of the reference.
  @Test(arguments: [1, 400]) func rowsAreCountedBinByBin(_ stride: Int) throws {
    let records = (0..<5_000).map { index in
      // Some have the same time, and some stand far apart.
      let time = SmallStore.start + Int64(index / 3 * 3 + index / 1_000 * 7_200) * 1_000_000_000
      return SmallStore.record(index, at: time) { record in
        record.line = Int64(index % stride)
        if index % 11 > 0 { record.tags = [LogTag("part", .int(Int64(index % 6)))] }
      }
    }
    let store = try SmallStore(records)
    for bin in ["bin(time, 1ns)", "bin(time, 1s)", "bin(time, 5m)", "bin(time, 36h)"] {
      for keys in [bin, "\(bin), tag.part", "tag.part, \(bin)", "\(bin), tag.none"] {
        #expect(try !store.rows("line = 0 | stats count() by \(keys)").isEmpty, "\(keys)")
      }
    }
  }

  /// Few rows of a granule, many, and all: codes are listed, or decoded with those of the rows between.
  @Test(arguments: [1, 2, 5, 13, 700]) func rowsAreGroupedHoweverManyThereAre(_ stride: Int) throws
  {
    let records = (0..<9_000).map { index in
      SmallStore.record(index) { record in
        record.line = Int64(index % stride)
        record.event = "event \(index % 300 % 17)"
        if index % 3 > 0 { record.tags = [LogTag("part", .int(Int64(index % 1_500)))] }
        if index % 900 == 0 { record.tags.append(LogTag("rare", .string("\(index)"))) }
        if index % 4 > 0 { record.duration = Int64(index % 1_000) }
      }
    }
    for segmentCount in 1...2 {
      let store = try SmallStore(records, segmentCount: segmentCount)
      for stages in [
        "top 4 event", "top 3 tag.part", "count by tag.rare", "count by tag.none",
        "stats distinct(tag.part)", "stats distinct(tag.part), distinct(tag.rare), distinct(event)",
        "stats distinct(tag.part), count()", "stats distinct(tag.part) by event",
        "stats sum(duration), p50(duration), count() by tag.part", "stats avg(duration) by event",
      ] {
        #expect(try !store.rows("line = 0 | \(stages)").isEmpty, "\(stages)")
      }
    }
  }

  /// Numbers of columns and of payloads, which some rows lack, are added up by code, whether they are small or large, whole
  /// or not.
  @Test(arguments: [1, 50]) func numbersAreAddedUpByCode(_ stride: Int) throws {
    let records = (0..<4_500).map { index in
      SmallStore.record(index) { record in
        record.line = Int64(index % stride)
        record.event = "event \(index % 300 % 17)"
        if index % 3 > 0 { record.tags = [LogTag("part", .int(Int64(index % 9)))] }
        if index % 4 > 0 { record.duration = Int64(index % 1_000) }
        var fields = ["\"size\":\(index * 7)", "\"cost\":-\(index % 90)", "\"ratio\":\(index).5"]
        if index % 5 == 0 { fields.removeFirst() }
        if index % 11 == 0 { fields.append("\"late\":\(index % 2 == 0 ? Int.max : 3)") }
        record.payload = Array("{\(fields.joined(separator: ","))}".utf8)
      }
    }
    let store = try SmallStore(records)
    for sums in [
      "avg(payload.cost)", "sum(payload.ratio)", "sum(payload.late)", "count(), avg(line)",
      "sum(duration), count(), avg(payload.size)", "sum(payload.none)", "sum(line), avg(duration)",
    ] {
      #expect(try !store.rows("line = 0 | stats \(sums) by tag.part").isEmpty, "\(sums)")
    }
    for keys in ["event", "tag.none", "tag.part, tag.none", "tag.part, event"] {
      let sums = "sum(payload.size), count()"
      #expect(try !store.rows("line = 0 | stats \(sums) by \(keys)").isEmpty, "\(keys)")
    }
  }

  /// Two spellings of one accented letter are different texts wherever texts are compared.
  @Test func textsAreTheirBytes() throws {
    let spellings = ["é", "e\u{301}"]
    let records = spellings.enumerated().map { index, text in
      SmallStore.record(index) { record in
        record.event = text
        record.scopes = [text]
        record.tags = [LogTag("user", .string(text)), LogTag(text, .int(Int64(index)))]
        record.payload = Array("{\"\(text)\":\(index)}".utf8)
      }
    }
    for segmentCount in 1...2 {
      var store = try SmallStore(records, segmentCount: segmentCount)
      for field in ["event", "scope", "tag.user", "lower(event)"] {
        #expect(try store.rows("| count by \(field)").count == 2, "\(field)")
        #expect(try store.rows("| stats distinct(\(field))") == ["2"], "\(field)")
        #expect(try store.run("| dedup \(field)").rowCount == 2, "\(field)")
        #expect(try store.run("| sort \(field) | limit 1").records[0].event == spellings[1])
      }
      for (index, text) in spellings.enumerated() {
        for filter in [
          "event = \(text)", "event in (\(text), x)", "under \(text)", "tag.user = \(text)",
          "has tag.\(text)", "tag.\(text) = \(index)", "payload.\(text) = \(index)",
          "lower(event) = \(text)",
        ] {
          #expect(try store.run(filter).records.map(\.event.utf8.count) == [text.utf8.count])
        }
      }
      #expect(
        try store.rows("| select a = tag.é, b = tag.e\u{301}, c = payload.é, d = payload.e\u{301}")
          == [",1,,1", "0,,0,"])
      let columns = "tag.é, tag.e\u{301}"
      #expect(try store.rows("| select \(columns)") == [",1", "0,"])
      #expect(try store.rows("| select \(columns) | select tag.é") == ["", "0"])
      #expect(try store.rows("| count by \(columns)") == ["0,,1", ",1,1"])
      #expect(try store.rows("| stats max(tag.é), max(tag.e\u{301})") == ["0,1"])
      store.context.parameters = ["né": .string("é")]
      #expect(try store.run("event = $né").rowCount == 1)
      #expect(store.problem("event = $ne\u{301}").contains("B208"))
    }
    #expect(try Query("é") != Query("e\u{301}"))
    #expect(try Query("tag.é = 1") != Query("tag.e\u{301} = 1"))
  }
}
