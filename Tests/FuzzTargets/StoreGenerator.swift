package import SegmentIndex

/// Makes random records that collide, lack fields and mix types, so that every rule of the language is
/// met often.
package struct StoreGenerator: Sendable {
  package var random: Choices
  /// 2026-09-01T00:00Z in nanoseconds.
  package static let start: Int64 = 1_788_220_800_000_000_000
  package static let minute: Int64 = 60_000_000_000

  package let sessions: [SessionInfo]
  private var segmentNumber: UInt128 = 0

  package init(seed: UInt64) {
    self.init(Choices(seed: seed))
  }

  package init(_ choices: Choices) {
    random = choices
    let apps = ["Shop 3.2.1", "Shop 3.3.0", ""]
    var ids: [UniqueID] = []
    // Numbered, because a fuzzer's bytes are too few for identities that differ by chance.
    for number in 0..<UInt128(apps.count) {
      ids.append(UniqueID(bits: UniqueID(using: &random).bits &+ number))
    }
    sessions = zip(ids, apps).enumerated().map { index, pair in
      SessionInfo(
        id: pair.0, start: Self.start + Int64(index) * 3_600_000_000_000, app: pair.1,
        os: "Linux 6",
        device: "box")
    }
  }

  private mutating func pick<Element>(_ choices: [Element]) -> Element { random.pick(choices) }

  private mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }

  /// `count` records over `minutes` minutes, in random order.
  package mutating func records(_ count: Int, minutes: Int64 = 300) -> [Record] {
    (0..<count).map { record(UInt64($0), minutes) }.shuffled(using: &random)
  }

  private mutating func record(_ sequence: UInt64, _ minutes: Int64) -> Record {
    let session = pick(sessions).id
    let isDerived = chance(80)
    // Few different times, so that many records share one.
    let time = Self.start + Int64.random(in: 0..<minutes * 4, using: &random) * Self.minute / 4
    var record = Record(
      id: isDerived ? UniqueID(session: session, sequence: sequence) : UniqueID(using: &random),
      time: time, sequence: sequence, session: session,
      level: pick(LogLevel.standard + [LogLevel("trace", severity: 50)]),
      event: pick(["photo.import", "photo.export", "sync.begin", "sync.end", "Net.Error"]),
      message: message())
    record.version = pick([1, 1, 1, 2])
    record.scopes = pick([
      [], ["App"], ["App/Photos"], ["App/Photos/album-7", "Job/7"], ["App/PhotosOld"], ["Job/7"],
    ])
    record.tags = tags()
    record.payload = Array(payload().utf8)
    if chance(50) { record.span = UniqueID(bits: pick([1, 2, 3])) }
    if chance(40) {
      record.exit = pick(["success", "failure", "orphaned"])
      record.duration = pick([0, 1, 2_000_000_000, 2_500_000_000, 90_000_000_000])
    }
    if chance(10) { record.exitReason = "timed out" }
    if chance(60) { record.file = pick(["Importer.swift", "Sync.swift"]) }
    if chance(60) { record.function = pick(["decode(_:)", "run()"]) }
    if chance(60) { record.line = Int64.random(in: 1...20, using: &random) }
    if chance(20) { record.externalID = pick(["x-1", "x-2"]) }
    return record
  }

  private mutating func message() -> String {
    pick([
      "", "connection TIMEOUT after 3 tries", "timeout", "disk full", "Straße gesperrt",
      "CAFÉ closed",
      "retry 5 of 9", "ΣΊΣΥΦΟΣ", "a*b?c", "日本語のログ", "tiny", "all done: 42 items",
    ])
  }

  private mutating func tags() -> [LogTag] {
    var tags: [LogTag] = []
    if chance(60) {
      tags.append(
        LogTag(
          "code",
          pick([
            .int(404), .int(200), .string("404"), .double(404), .double(0.5), .bool(true), .int(0),
            .double(-0.0), .double(.nan), .double(.infinity), .json("{\"a\":1}"), .json("null"),
          ])))
    }
    if chance(50) {
      tags.append(LogTag("user", .string(pick(["ann", "bob", "Ann", "é", "e\u{301}"]))))
    }
    if chance(20) { tags.append(LogTag("user id", .int(pick([1, 2, .max, .min])))) }
    return tags
  }

  private mutating func payload() -> String {
    pick([
      "", "", #"{"n":1,"items":[{"sku":"A-17"},{"sku":"B-2"}]}"#, #"{"n":2.5,"items":[]}"#,
      #"{"n":null,"ok":true}"#, #"{"n":"1","deep":{"x":{"y":"timeout"}}}"#, #"[1,2,3]"#, #"{"n":"#,
      #"{"n":9007199254740993,"n":7}"#,
    ])
  }

  /// The records in segments: `count` of them, each with random records or with a stretch of time.
  package mutating func segments(_ records: [Record], count: Int) throws -> [Segment] {
    var parts = [[Record]](repeating: [], count: count)
    if chance(50) {
      for record in records { parts[Int.random(in: 0..<count, using: &random)].append(record) }
    } else {
      let sorted = records.sorted {
        ($0.time, $0.session, $0.sequence) < ($1.time, $1.session, $1.sequence)
      }
      for (index, record) in sorted.enumerated() {
        parts[index * count / max(sorted.count, 1)].append(record)
      }
    }
    return try parts.enumerated().map { index, records in
      try Segment(bytes: bytes(of: records), name: "segment \(index)")
    }
  }

  /// The file of a segment of these records.
  package mutating func bytes(of records: [Record]) throws -> [UInt8] {
    // Numbered for the same reason.
    segmentNumber += 1
    var builder = SegmentBuilder(id: UniqueID(bits: segmentNumber))
    for session in sessions { builder.add(session) }
    for record in records { builder.append(record) }
    return try builder.finish()
  }
}
