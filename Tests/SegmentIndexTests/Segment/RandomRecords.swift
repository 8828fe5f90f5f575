import SegmentIndex
import TestSupport

/// Random records of every shape, with the awkward values more often than chance would have them.
struct RandomRecords {
  private var random: SeededRandom
  private let sessions: [UniqueID]

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    sessions =
      [UniqueID(bits: 0), UniqueID(bits: .max)] + (0..<3).map { _ in UniqueID(using: &random) }
    self.random = random
  }

  mutating func records(_ count: Int) -> [Record] {
    (0..<count).map { record(sequence: UInt64($0) + 1) }
  }

  /// A small record that has every field.
  static var full: Record {
    var record = plain
    record.id = UniqueID(bits: 5)
    record.message = "upload 17 completed, upload 18 completed, upload 19 completed"
    record.scopes = ["App/Photos", "App"]
    record.payload = Array(#"{"ms":1.5}"#.utf8)
    record.tags = [LogTag("region", .string("eu")), LogTag("retry", .int(2))]
    record.span = UniqueID(bits: 6)
    record.exit = "failure"
    record.exitReason = "offline"
    record.duration = 9
    record.function = "run()"
    record.file = "App/Main.swift"
    record.line = 12
    record.externalID = "x"
    return record
  }

  /// A record that has nothing it could do without.
  static var plain: Record {
    let session = UniqueID(bits: 3)
    return Record(
      id: UniqueID(session: session, sequence: 2), time: 1_767_225_600_000_000_000, sequence: 2,
      session: session, level: .info, event: "app.start", message: "")
  }

  /// Records without the few that are large, for tests that visit every byte.
  mutating func smallRecords(_ count: Int) -> [Record] {
    records(count).map { record in
      var record = record
      record.message = String(record.message.prefix(40))
      record.payload = Array(record.payload.prefix(60))
      record.tags.removeAll { $0.key.utf8.count > 100 }
      return record
    }
  }

  private mutating func record(sequence: UInt64) -> Record {
    let session = pick(sessions)
    let sequence: UInt64 = chance(50) ? pick([0, .max, .max / 2 + 1]) : sequence
    let derived = UniqueID(session: session, sequence: sequence)
    let id = chance(100) ? UniqueID(using: &random) : derived
    var record = Record(
      id: id, time: time(), sequence: sequence, session: session, level: level(),
      event: pick(["app.start", "photo.imported", "", "é", "e\u{301}", text()]), message: text())
    if chance(10) { record.version = Int64(truncatingIfNeeded: random.next()) }
    if chance(2) { record.scopes = (0..<pick([0, 1, 1, 2, 5])).map { _ in text() } }
    if chance(2) { record.payload = payload() }
    if chance(3) { record.span = chance(2) ? UniqueID(bits: 7) : UniqueID(using: &random) }
    if chance(4) { record.exit = pick(["success", "failure", ""]) }
    if chance(8) { record.exitReason = text() }
    if chance(4) { record.duration = pick([0, -1, .min, .max, 1_000_000]) }
    if chance(3) { record.function = pick(["run()", "load(_:)", ""]) }
    if chance(3) { record.file = pick(["App/Main.swift", "App/Other.swift"]) }
    if chance(3) { record.line = pick([1, 77, 78, .max]) }
    if chance(20) { record.externalID = text() }
    record.tags = tags()
    return record
  }

  private mutating func time() -> Int64 {
    switch Int.random(in: 0..<40, using: &random) {
    case 0: return .min
    case 1: return .max
    case 2: return 0
    case 3...10: return 1_767_225_600_000_000_000
    default: return 1_767_225_600_000_000_000 + Int64.random(in: 0..<1 << 40, using: &random)
    }
  }

  private mutating func level() -> LogLevel {
    chance(20) ? LogLevel(text(), severity: pick([.min, -1, 0, .max])) : pick(LogLevel.standard)
  }

  private mutating func payload() -> [UInt8] {
    if chance(10) { return random.bytes(Int.random(in: 1...300, using: &random)) }
    return Array(#"{"net":{"bytes":\#(random.next() % 100_000),"ms":12.5},"thread":3}"#.utf8)
  }

  private mutating func tags() -> [LogTag] {
    var tags: [LogTag] = []
    let keys = ["user_id", "region", "retry", "", "é", "e\u{301}", "\0", "zeta"]
    for key in keys where chance(3) { tags.append(LogTag(key, value())) }
    if chance(400) { tags.append(LogTag(String(repeating: "k", count: 65_536), value())) }
    if chance(5) { tags.shuffle(using: &random) }
    return tags
  }

  private mutating func value() -> LogTagValue {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return .int(pick([0, -1, .min, .max]))
    case 1: return .int(Int64(random.next() % 1000))
    case 2:
      return .double(
        pick([
          0, -0.0, .nan, -.nan, .signalingNaN, .infinity, -.infinity, .leastNonzeroMagnitude,
          Double(bitPattern: 0x7ff8_dead_beef_0001), 1.5,
        ]))
    case 3: return .bool(chance(2))
    case 4: return .json(pick(["{}", "[1,2]", "null", ""]))
    case 5: return .string(pick(["", "\0", "a\0b", "eu-west-1", "us-east-1"]))
    default: return .string(text())
    }
  }

  private mutating func text() -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return ""
    case 1: return pick(["\0", "a\0", "\0\u{ff}", "é", "e\u{301}", "\u{10ffff}"])
    case 2: return String(repeating: "long ", count: Int(random.next() % 200))
    default: return "upload \(random.next() % 5000) completed in \(random.next() % 900) ms"
    }
  }

  /// True once in `n` times.
  private mutating func chance(_ n: Int) -> Bool {
    Int.random(in: 0..<n, using: &random) == 0
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }
}

/// Whether two records are the same to the byte: unlike `==`, which takes texts that only look alike for
/// equal, and no NaN for equal to itself.
func areIdentical(_ left: Record, _ right: Record) -> Bool {
  let fields =
    left.id == right.id && left.time == right.time && left.sequence == right.sequence
    && left.session == right.session && left.version == right.version
    && left.payload == right.payload && left.span == right.span && left.duration == right.duration
    && left.line == right.line && left.level.severity == right.level.severity
  let texts =
    same(left.level.name, right.level.name) && same(left.event, right.event)
    && same(left.message, right.message) && same(left.exit, right.exit)
    && same(left.exitReason, right.exitReason) && same(left.function, right.function)
    && same(left.file, right.file) && same(left.externalID, right.externalID)
  let scopes = left.scopes.elementsEqual(right.scopes) { same($0, $1) }
  let tags = left.tags.elementsEqual(right.tags) {
    same($0.key, $1.key) && same($0.value, $1.value)
  }
  return fields && texts && scopes && tags
}

func areIdentical(_ left: [Record], _ right: [Record]) -> Bool {
  left.elementsEqual(right) { areIdentical($0, $1) }
}

private func same(_ left: String?, _ right: String?) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  return left.utf8.elementsEqual(right.utf8)
}

private func same(_ left: LogTagValue, _ right: LogTagValue) -> Bool {
  switch (left, right) {
  case (.string(let left), .string(let right)), (.json(let left), .json(let right)):
    same(left, right)
  case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
  default: left == right
  }
}

/// The records in the order of a segment.
func sorted(_ records: [Record]) -> [Record] {
  // The library's sort is stable, so records that are equal here stay as they came.
  records.sorted { left, right in
    (left.time, left.session.bits, left.sequence) < (right.time, right.session.bits, right.sequence)
  }
}

/// A segment of the records.
func segment(of records: [Record], name: String = "test") throws -> Segment {
  var builder = SegmentBuilder(id: UniqueID(bits: 1))
  for record in records { builder.append(record) }
  return try Segment(bytes: try builder.finish(), name: name)
}
