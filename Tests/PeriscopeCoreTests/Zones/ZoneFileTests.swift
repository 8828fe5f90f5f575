import Foundation
import PQL
import PeriscopeCore
import TestSupport
import Testing

/// Zones as the system's files have them, held against Foundation.
@Suite struct ZoneFileTests {
  /// Zones of every kind: north and south, with half hours, without summer time, with rules that changed
  /// late, with a day that was left out, and with negative summer time.
  static let zones = [
    "Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Moscow", "America/New_York",
    "America/Los_Angeles", "America/Sao_Paulo", "America/St_Johns", "America/Caracas",
    "Africa/Cairo", "Africa/Johannesburg", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo",
    "Asia/Tehran", "Asia/Jerusalem", "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Apia",
    "Pacific/Chatham",
  ]

  private static func rules(_ name: String) throws -> TimeZoneRules? {
    let path = "/usr/share/zoneinfo/\(name)"
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return try TimeZoneRules(zoneFile: Array(data))
  }

  /// About every week from 1900 to 2100, and around every change, both give the same offset.
  @Test(arguments: zones)
  func agreesWithFoundation(_ name: String) throws {
    // A machine without zone files has nothing to compare.
    guard let rules = try Self.rules(name), let zone = TimeZone(identifier: name) else { return }
    var seconds = [Int64](stride(from: -2_208_988_800, to: 4_102_444_800, by: 43_200 * 14 + 3_600))
    let changes = rules.transitions.map(\.second).filter { seconds[0]...4_102_444_800 ~= $0 }
    for change in changes { seconds += [change - 1, change, change + 1] }
    for second in seconds {
      let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
      try #require(
        Int(rules.offset(at: second * 1_000_000_000)) == expected,
        "\(name) at \(second)")
    }
  }

  // MARK: Files made here

  private func block(
    _ version: UInt8, timeSize: Int, times: [(Int64, UInt8)], types: [Int32], leaps: Int = 0
  ) -> [UInt8] {
    func big<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
      (0..<T.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
    }
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, leaps, times.count, types.count, 4] { bytes += big(UInt32(count)) }
    for (time, _) in times { bytes += timeSize == 8 ? big(time) : big(Int32(time)) }
    bytes += times.map(\.1)
    for type in types { bytes += big(type) + [0, 0] }
    return bytes + Array("ABC\0".utf8) + [UInt8](repeating: 0, count: leaps * (timeSize + 4))
  }

  private func file(_ footer: String, times: [(Int64, UInt8)] = [], types: [Int32] = [0]) -> [UInt8]
  {
    let version = UInt8(ascii: "2")
    return block(version, timeSize: 4, times: [], types: [0])
      + block(version, timeSize: 8, times: times, types: types) + Array("\n\(footer)\n".utf8)
  }

  private func offset(_ rules: TimeZoneRules, _ time: String) throws -> Int32 {
    let literal = try #require(TimeLiteral(time + "Z"))
    return rules.offset(at: literal.local)
  }

  @Test func firstVersionIsRead() throws {
    let bytes = block(0, timeSize: 4, times: [(1_000, 1), (2_000, 0)], types: [3_600, 7_200])
    let rules = try TimeZoneRules(zoneFile: bytes)
    #expect(rules.initialOffset == 3_600)
    #expect(
      rules.transitions == [
        .init(second: 1_000, offset: 7_200), .init(second: 2_000, offset: 3_600),
      ])
  }

  @Test(arguments: [
    ("UTC0", 0, 0), ("EST5", -18_000, -18_000), ("<+0545>-5:45", 20_700, 20_700),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 3_600, 7_200), ("AEST-10AEDT,M10.1.0,M4.1.0/3", 39_600, 36_000),
    // Winter time that is behind, a change on a numbered day, and one the day before.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 3_600), ("AAA3BBB,J60/0,J300/0", -10_800, -7_200),
    ("AAA3BBB,59/0,299/0", -10_800, -7_200), ("AAA3BBB2:30,M3.4.4/50,M10.4.4/50", -10_800, -9_000),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7_200, -3_600),
  ])
  func rulesGoOnForEver(_ footer: String, _ january: Int32, _ july: Int32) throws {
    let rules = try TimeZoneRules(zoneFile: file(footer))
    for year in [1_970, 2_026, 2_100, 2_261] {
      #expect(try offset(rules, "\(year)-01-15T12:00") == january, "\(year)")
      #expect(try offset(rules, "\(year)-07-15T12:00") == july, "\(year)")
    }
  }

  @Test func changesAreToTheSecond() throws {
    let rules = try TimeZoneRules(zoneFile: file("CET-1CEST,M3.5.0,M10.5.0/3"))
    #expect(try offset(rules, "2050-03-27T00:59:59") == 3_600)
    #expect(try offset(rules, "2050-03-27T01:00:00") == 7_200)
    #expect(try offset(rules, "2050-10-30T00:59:59") == 7_200)
    #expect(try offset(rules, "2050-10-30T01:00:00") == 3_600)
  }

  /// The rule begins after the last change that the file lists.
  @Test func rulesBeginAfterTheListedChanges() throws {
    let bytes = file(
      "CET-1CEST,M3.5.0,M10.5.0/3", times: [(1_000_000_000, 0)], types: [3_600, 100])
    let rules = try TimeZoneRules(zoneFile: bytes)
    #expect(rules.transitions[0] == .init(second: 1_000_000_000, offset: 3_600))
    #expect(try offset(rules, "1990-07-01T00:00") == 3_600)
    #expect(try offset(rules, "2002-07-01T00:00") == 7_200)
  }

  @Test func leapSecondsAreRefused() {
    let bytes = block(0, timeSize: 4, times: [], types: [0], leaps: 1)
    #expect(throws: ZoneFileError.hasLeapSeconds) { try TimeZoneRules(zoneFile: bytes) }
  }

  @Test(arguments: [
    "C-1", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-25",
    "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,J0,J300", "<CET-1",
    "CET-1CEST,M3.5.0,M10.5.0x", "CET-1:60", "CET-1CEST,366,10",
  ])
  func badRulesAreRefused(_ footer: String) {
    #expect(throws: ZoneFileError.malformed) { try TimeZoneRules(zoneFile: file(footer)) }
  }

  /// No bytes trap or hang the reader.
  @Test func anyBytesAreRefusedOrRead() {
    let sound = file("CET-1CEST,M3.5.0,M10.5.0/3", times: [(5, 0), (9, 1)], types: [0, 3_600])
    for length in 0..<sound.count {
      #expect(throws: ZoneFileError.self) { try TimeZoneRules(zoneFile: Array(sound[..<length])) }
    }
    for seed in 0..<3_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      if let rules = try? TimeZoneRules(zoneFile: bytes) {
        _ = rules.text(0)
        _ = rules.bin(of: 1_788_220_800_000_000_000, width: 86_400_000_000_000)
      }
    }
  }
}
