import PQL
import PeriscopeCore
import Testing
import pql_repl

@Suite struct OptionsTests {
  /// The options of a command line that is split at spaces.
  static func parse(_ line: String) throws(UsageError) -> Options {
    try Options(line.split(separator: " ").map(String.init))
  }

  @Test func aStoreAndWordsAreAQuery() throws {
    let options = try Self.parse("store level >= error | count")
    #expect(options.command == .query)
    #expect(options.store == "store")
    #expect(options.operands == ["level", ">=", "error", "|", "count"])
  }

  @Test func wordsThatExcludeAreNoOptions() throws {
    let options = try Self.parse("store timeout -retry -nap -n 5 --mode csv --utc")
    #expect(options.operands == ["timeout", "-retry", "-nap"])
    #expect(options.rowLimit == 5)
    #expect(options.mode == .csv)
    #expect(options.zone == .fixed(0))
  }

  @Test func nothingIsAnOptionAfterTwoHyphens() throws {
    #expect(try Self.parse("store x -- --mode").operands == ["x", "--mode"])
    #expect(try Self.parse("-- import").store == "import")
  }

  @Test func valuesStandApartOrAttached() throws {
    for line in ["-n 7 s", "-n7 s", "s -n 7"] {
      #expect(try Self.parse(line).rowLimit == 7, "\(line)")
    }
    for line in ["--mode table s", "--mode=table s"] {
      #expect(try Self.parse(line).mode == .table, "\(line)")
    }
    #expect(try Options(["s", "-c", "a", "-c", "b = 1"]).queries == ["a", "b = 1"])
  }

  @Test func knowsTheCommands() throws {
    let imported = try Self.parse("import a.ndjson - --into store")
    #expect(imported.command == .import)
    #expect(imported.operands == ["a.ndjson", "-"])
    #expect(imported.target == "store")
    let verify = try Self.parse("verify store --strict")
    #expect(verify.command == .verify && verify.store == "store" && verify.isStrict)
    #expect(try Self.parse("compact store").command == .compact)
    let demo = try Self.parse("demo level = fault --keep dir")
    #expect(demo.command == .demo && demo.operands == ["level", "=", "fault"])
    #expect(demo.keep == "dir")
    // Only the first operand can name a command.
    #expect(try Self.parse("store import").operands == ["import"])
  }

  @Test(arguments: [
    ("local", Options.Zone.local), ("utc", .fixed(0)), ("Z", .fixed(0)), ("+02:00", .fixed(7_200)),
    ("-0530", .fixed(-19_800)), ("+9", .fixed(32_400)), ("-07", .fixed(-25_200)),
  ])
  func readsZones(text: String, zone: Options.Zone) throws {
    #expect(try Self.parse("--tz \(text) s").zone == zone)
  }

  /// A machine without zone files knows no names.
  @Test func readsZonesByName() throws {
    guard let options = try? Self.parse("--tz Europe/Berlin s") else { return }
    guard case .rules(let rules) = options.zone else {
      Issue.record("\(options.zone)")
      return
    }
    // 2026-07-01T00:00Z and half a year before.
    #expect(rules.offset(at: 1_782_864_000_000_000_000) == 7_200)
    #expect(rules.offset(at: 1_767_225_600_000_000_000) == 3_600)
    for name in ["../etc/passwd", "/etc/localtime", "Europe", "tzdata.zi"] {
      #expect(throws: UsageError.self, "\(name)") { try Self.parse("--tz \(name) s") }
    }
  }

  @Test func readsParameters() throws {
    let options = try Options(["-p", "user=a=b", "-p", "n:int=5", "-p", "empty=", "s"])
    #expect(options.parameters.map(\.name) == ["user", "n", "empty"])
    #expect(options.parameters.map(\.text) == ["a=b", "5", ""])
    #expect(options.parameters.map(\.type) == [nil, "int", nil])
  }

  @Test func readsTimeouts() throws {
    #expect(try Self.parse("--timeout 1m30s s").timeout == 90_000_000_000)
  }

  @Test func helpNeedsNoStore() throws {
    #expect(try Self.parse("--help").wantsHelp)
    #expect(try Self.parse("import -h").wantsHelp)
    #expect(try Self.parse("--version").wantsVersion)
  }

  @Test(arguments: [
    ("", "which store?"),
    ("verify", "which store?"),
    ("verify a b", "verify takes one store"),
    ("import a", "import needs --into STORE"),
    ("import --into s", "import needs a file, or - for the input"),
    ("s --moed csv", "there is no option --moed; did you mean --mode?"),
    ("-z s", "there is no option -z; did you mean -F?"),
    ("s -retry", "there is no option -retry; a query may begin with it after --"),
    ("s -x y", "there is no option -x; a query may begin with it after --"),
    ("s --mode", "--mode needs a value"),
    ("s --mode xml", #"--mode is one of log, table, ndjson, csv, not "xml""#),
    ("s --color maybe", #"--color is one of auto, always, never, not "maybe""#),
    ("s --strict=yes", "--strict takes no value"),
    ("-n x s", #"-n needs a number, not "x""#),
    ("-n -1 s", #"-n needs a number, not "-1""#),
    ("-p x s", "-p needs NAME=VALUE"),
    ("-p =x s", "-p needs a name before ="),
    (
      "--tz Mars s", "--tz is local, utc, a zone such as Europe/Berlin, or an offset such as +02:00"
    ),
    ("--tz +25 s", "--tz is local, utc, a zone such as Europe/Berlin, or an offset such as +02:00"),
    ("--timeout 30 s", "--timeout is a duration such as 30s"),
    ("-c a s b", "a query as words and one by -c or -f cannot be given together"),
  ])
  func saysWhatIsWrong(line: String, message: String) {
    #expect(throws: UsageError(message)) { try Self.parse(line) }
  }

  @Test func helpNamesEveryCommandAndOption() {
    let help = helpText()
    for word in ["import FILE", "verify", "compact", "demo", "--mode", "-c QUERY", "-h, --help"] {
      #expect(help.contains(word), "\(word)")
    }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func whatACompactionKeeps() throws {
    let options = try Options([
      "compact", "s", "--keep-age", "30d", "--keep-bytes", "1.5GB", "--keep-records", "9",
    ])
    #expect(options.retention.maximumAge == .seconds(30 * 86_400))
    #expect(options.retention.maximumByteCount == 1_500_000_000)
    #expect(options.retention.maximumRecordCount == 9)
    for wrong in [["--keep-age", "old"], ["--keep-bytes", "0B"], ["--keep-records", "-1"]] {
      #expect(throws: UsageError.self) { try Options(["compact", "s"] + wrong) }
    }
  }
}
