import PeriscopeCore
import SegmentIndex
import Testing

/// The levels of other loggers, through the lines that carry them.
@Suite struct LogLevelTests {
  static func level(_ members: String) throws -> LogLevel {
    try LineImporter.record("{\(members)}").level
  }

  @Test(arguments: [
    ("trace", "trace", 50), ("TRACE", "trace", 50), ("verbose", "trace", 50),
    ("Debug", "debug", 100), ("dbug", "debug", 100),
    ("INFO", "info", 200), ("Information", "info", 200), ("informational", "info", 200),
    ("notice", "notice", 300),
    ("WARN", "warning", 400), ("warning", "warning", 400),
    ("err", "error", 500), ("ERROR", "error", 500), ("SEVERE", "error", 500),
    ("Critical", "fault", 600), ("FATAL", "fault", 600), ("panic", "fault", 600),
    ("alert", "alert", 650), ("EMERGENCY", "emergency", 700), ("emerg", "emergency", 700),
    // Nobody's: its own level.
    ("SUCCESS", "success", 200),
  ])
  func knowsNames(text: String, name: String, severity: Int32) throws {
    #expect(try Self.level(#""level":"\#(text)""#) == LogLevel(name, severity: severity))
  }

  @Test func knowsTheNumbersOfPino() throws {
    for (number, name) in [(20, "debug"), (30, "info"), (40, "warning"), (50, "error")] {
      #expect(try Self.level(#""level":\#(number)"#).name == name)
    }
    #expect(try Self.level(#""level":10"#) == LogLevel("trace", severity: 50))
    #expect(try Self.level(#""level":60"#) == .fault)
    #expect(try Self.level(#""level":35"#) == LogLevel("level35", severity: 300))
    #expect(try Self.level(#""level":"30""#) == .info)
  }

  @Test func knowsThePrioritiesOfSyslog() throws {
    let expected: [LogLevel] = [
      LogLevel("emergency", severity: 700), LogLevel("alert", severity: 650), .fault, .error,
      .warning, .notice, .info, .debug,
    ]
    for (priority, level) in expected.enumerated() {
      #expect(try Self.level(#""PRIORITY":"\#(priority)""#) == level)
      #expect(try Self.level(#""level":\#(priority)"#) == level)
    }
  }

  @Test func knowsTheSeveritiesOfOpenTelemetry() throws {
    let expected: [LogLevel] = [
      LogLevel("trace", severity: 50), .debug, .info, .warning, .error, .fault,
    ]
    for number in 1...24 {
      #expect(try Self.level(#""severityNumber":\#(number)"#) == expected[(number - 1) / 4])
    }
    #expect(try Self.level(#""severityNumber":10,"severityText":"NOTICE""#) == .notice)
  }

  @Test func knowsTheNumbersOfPython() throws {
    #expect(try Self.level(#""levelno":20"#) == .info)
    #expect(try Self.level(#""levelno":50"#) == .fault)
    #expect(try Self.level(#""levelno":25"#) == LogLevel("level25", severity: 300))
  }

  @Test func knowsItsOwnSeverities() throws {
    #expect(try Self.level(#""severity":500"#) == .error)
    #expect(try Self.level(#""severity":450"#) == LogLevel("level450", severity: 450))
  }

  @Test(arguments: [
    #""level":8"#, #""level":-1"#, #""level":61"#, #""level":30.5"#, #""level":true"#,
    #""level":"""#, #""level":"two words""#, #""PRIORITY":8"#, #""severityNumber":0"#,
    #""severityNumber":25"#, #""levelno":51"#, #""level":9223372036854775807"#,
    #""level":"a name that is longer than any""#,
  ])
  func keepsWhatIsNoLevelAsATag(member: String) throws {
    let record = try LineImporter.record("{\(member)}")
    #expect(record.level == .info)
    #expect(record.tags.count == 1)
  }
}
