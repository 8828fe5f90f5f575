import JournalKit
import PeriscopeCore
import TestSupport
import Testing
import pql_repl

/// Whole command lines, on stores of their own.
@Suite struct ProgramTests {
  let directory: TemporaryDirectory
  let files = POSIXFileSystem()
  var store: String { directory.path + "/store" }

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Runs a command line and returns what it wrote.
  func run(_ arguments: String...) -> (code: ExitCode, output: String, errors: String) {
    let output = Capture()
    let errors = Capture()
    let code = Program.run(
      arguments + ["--utc"], output: output.output(), errors: errors.output())
    return (code, output.text, errors.text)
  }

  /// A file of log lines.
  func file(_ name: String, _ text: String) throws -> String {
    let path = directory.path + "/" + name
    try files.writeNew(path, Array(text.utf8).rawSpan, sync: false)
    return path
  }

  @Test func importsAndAnswers() throws {
    let pino = try file(
      "pino.ndjson",
      #"""
      {"level":50,"time":1767225600123,"name":"shop.cart","msg":"cart is gone","user":42}
      {"level":30,"time":1767225601000,"name":"shop.cart","msg":"cart is back","user":42}
      nonsense

      """#)
    let imported = run("import", pino, "--into", store)
    #expect(imported.code == .done)
    #expect(imported.output.isEmpty)
    #expect(imported.errors.contains("pino.ndjson:3:1: expected an object\n"))
    #expect(imported.errors.contains("imported 2 records from 3 lines"))
    #expect(imported.errors.contains("1 lines are not JSON objects"))

    let found = run("--mode", "log", store, "under shop level >= error tag.user = 42")
    #expect(found.code == .done)
    #expect(found.output == "2026-01-01 00:00:00.123 error   shop/cart  cart is gone  user=42\n")
    let counted = run("--mode", "csv", store, "| count by level")
    #expect(counted.output.split(separator: "\n").sorted() == ["error,1", "info,1", "level,count"])
  }

  @Test func whatItPrintsItImports() throws {
    let lines = try file("a.ndjson", #"{"t":1767225600123456789,"level":"warn","msg":"x","a":[1]}"#)
    #expect(run("import", lines, "--into", store).code == .done)
    let printed = run(store, "*").output
    #expect(!printed.isEmpty)
    let again = directory.path + "/again"
    #expect(run("import", try file("b.ndjson", printed), "--into", again).code == .done)
    #expect(run(again, "*").output == printed)
  }

  @Test func aCursorFileGoesOnWhereTheLastRunEnded() throws {
    let lines = (0..<5).map { "{\"t\":\(1_767_225_600_000_000_000 + $0),\"msg\":\"m\($0)\"}\n" }
    #expect(run("import", try file("a.ndjson", lines.joined()), "--into", store).code == .done)
    let cursor = directory.path + "/cursor"
    func next(_ query: String = "| select message") -> (code: ExitCode, text: String) {
      let result = run(store, "-c", query, "-n", "2", "--mode", "csv", "--cursor-file", cursor)
      return (result.code, result.output.isEmpty ? result.errors : result.output)
    }
    #expect(next().text == "message\nm4\nm3\n")
    #expect(next().text == "message\nm2\nm1\n")
    // Another query changes nothing.
    let other = next("| select level")
    #expect(other.code == .usage && other.text.contains("the cursor is of another query"))
    #expect(next().text == "message\nm0\n")
    let end = next()
    #expect(end.code == .done && end.text.contains("there are no more rows"))

    // What was logged meanwhile is at the beginning.
    try files.unlink(cursor)
    #expect(next().text == "message\nm4\nm3\n")
  }

  @Test func aCursorFileNeedsPages() throws {
    #expect(
      run("import", try file("a.ndjson", "{\"msg\":\"m\"}\n"), "--into", store).code == .done)
    let cursor = directory.path + "/cursor"
    for arguments in [["*"], ["*", "-n", "1", "--explain"], ["| count", "-n", "1"]] {
      let result = Program.run(
        [store, "--cursor-file", cursor] + arguments, output: Capture().output(),
        errors: Capture().output())
      #expect(result == .usage, "\(arguments)")
    }
    let text = try file("text", "no cursor\n")
    let result = run(store, "*", "-n", "1", "--cursor-file", text)
    #expect(result.code == .usage && result.errors.contains("holds no cursor"))
    let nowhere = run(store, "*", "-n", "1", "--cursor-file", "/nonexistent/cursor")
    #expect(nowhere.code == .unavailable)
  }

  @Test func strictImportsMindBadLines() throws {
    let lines = try file("a.ndjson", "{}\nx\n")
    #expect(run("import", lines, "--into", store, "--strict").code == .incomplete)
    #expect(run(store, "| count").output == #"{"count":1}"# + "\n")
  }

  @Test func missingFilesAndStoresAreUnavailable() {
    let none = run("import", "/nonexistent/file", "--into", store)
    #expect(none.code == .unavailable)
    #expect(none.errors == "pql-repl: /nonexistent/file: No such file or directory\n")
    for command in [["verify", store], ["compact", store], [store, "*"]] {
      let result = Program.run(
        command, output: Capture().output(), errors: Capture().output())
      #expect(result == .unavailable, "\(command)")
    }
    #expect(run(store, "*").errors == "pql-repl: there is no store in \(store)\n")
  }

  @Test func verifiesAndCompacts() throws {
    let lines = try file("a.ndjson", "{}\n{}\n")
    #expect(run("import", lines, "--into", store).code == .done)
    let verified = run("verify", store)
    #expect(verified.code == .done)
    #expect(verified.output.hasPrefix("checked 2 records in 1 segments (0.0 MB), and 0 entries"))
    #expect(verified.output.hasSuffix("\nevery byte is as it was written\n"))
    #expect(run("compact", store).code == .done)
  }

  @Test func aDamagedStoreIsReported() throws {
    let lines = try file("a.ndjson", #"{"msg":"some text to damage"}"#)
    #expect(run("import", lines, "--into", store).code == .done)
    let segments = store + "/segments"
    let name = try #require(try files.list(segments).first { $0.hasSuffix(".pseg") })
    let path = segments + "/" + name
    var bytes = try files.contents(of: path, limit: 1 << 20)
    bytes[bytes.count / 2] ^= 1
    try files.unlink(path)
    try files.writeNew(path, bytes.rawSpan, sync: false)
    let verified = run("verify", store)
    #expect(verified.code == .incomplete)
    #expect(verified.output.hasSuffix("the store is damaged\n"))
  }

  @Test func severalQueriesAreAnsweredInOrder() throws {
    let lines = try file("a.ndjson", "{}\n")
    #expect(run("import", lines, "--into", store).code == .done)
    let both = run(store, "-c", "| count", "-c", "| count by level")
    #expect(both.output == "{\"count\":1}\n{\"level\":\"info\",\"count\":1}\n")
    let script = try file("q.pql", "# a comment\n| count\n\n| limit 0\n")
    #expect(run(store, "-f", script).output == "{\"count\":1}\n")
    let bound = run(store, "-p", "l=info", "-c", "level = $l | count")
    #expect(bound.output == "{\"count\":1}\n")
  }

  @Test func outputThatCannotBeWrittenIsSaid() throws {
    let lines = try file("a.ndjson", "{}\n")
    #expect(run("import", lines, "--into", store).code == .done)
    for arguments in [[store, "*"], [store, "-c", "| count"], ["--help"]] {
      let errors = Capture()
      let code = Program.run(arguments, output: fullOutput(), errors: errors.output())
      #expect(code == .unavailable, "\(arguments)")
      #expect(errors.text.hasPrefix("pql-repl: the output could not be written"))
    }
  }

  @Test func theLargestLimitsLimitNothing() throws {
    let lines = try file("a.ndjson", "{}\n{}\n")
    #expect(run("import", lines, "--into", store).code == .done)
    for limit in [Int.max, Int.max - 1] {
      #expect(run(store, "*", "-n", "\(limit)").output.split(separator: "\n").count == 2)
      #expect(run(store, "| count", "-n", "\(limit)").output == "{\"count\":2}\n")
    }
  }

  @Test func filesOfQueriesMayHaveCarriageReturns() throws {
    let lines = try file("a.ndjson", "{}\n")
    #expect(run("import", lines, "--into", store).code == .done)
    let script = try file("q.pql", "# windows\r\n| count\r\n\r\n| count by level\r\n")
    let answer = run(store, "-f", script)
    #expect(answer.output == "{\"count\":1}\n{\"level\":\"info\",\"count\":1}\n")
    #expect(answer.errors.isEmpty && answer.code == .done)
    let broken = directory.path + "/broken.pql"
    try files.writeNew(broken, ([0x2a, 0x0a, 0xff] as [UInt8]).rawSpan, sync: false)
    let refused = run(store, "-f", broken)
    #expect(refused.code == .usage)
    #expect(refused.errors == "pql-repl: \(broken):2: not UTF-8\n")
  }

  /// An empty query means all records; only at a prompt nothing is asked by it.
  @Test func anEmptyQueryIsOne() throws {
    let lines = try file("a.ndjson", "{}\n{}\n")
    #expect(run("import", lines, "--into", store).code == .done)
    let all = run(store, "*").output
    #expect(all.split(separator: "\n").count == 2)
    for query in ["", " "] {
      #expect(run(store, "-c", query).output == all)
      #expect(run(store, query).output == all)
    }
  }

  /// What is said about rows is about those that are shown.
  @Test func remarksAreAboutTheRowsShown() throws {
    let lines = try file("a.ndjson", "{}\n{}\n{}\n{\"x\":1}\n")
    #expect(run("import", lines, "--into", store).code == .done)
    let cut = run(store, "-n", "2", "tag.x != 1")
    #expect(cut.output.split(separator: "\n").count == 2)
    #expect(cut.errors.hasPrefix("note: 2 of 2 rows lack tag.x"), "\(cut.errors)")
    let whole = run(store, "-n", "3", "tag.x != 1")
    #expect(whole.errors.hasPrefix("note: 3 of 3 rows lack tag.x"), "\(whole.errors)")
  }

  @Test func usageErrorsSayWhereToLook() {
    let result = run("--nothing")
    #expect(result.code == .usage)
    #expect(result.errors.hasSuffix("Try pql-repl --help.\n"))
  }

  @Test func helpAndVersionNeedNothingElse() {
    #expect(run("--help").output == helpText())
    #expect(run("--version").output.hasPrefix("pql-repl "))
  }

  @Test func explainsAndEndsInTime() throws {
    let lines = try file("a.ndjson", #"{"t":1767225600123456789,"level":"warn","msg":"x"}"#)
    #expect(run("import", lines, "--into", store).code == .done)
    let explained = run("--explain", store, "level >= error")
    #expect(explained.code == .done)
    #expect(explained.output.hasPrefix("explain: level >= \"error\"\n  segments 1"))
    let late = run("--timeout", "1ns", store, "*")
    #expect(late.code == .limit)
    #expect(
      late.errors == "error[L409]: the query took longer than 1ns, the limit\n"
        + "  = help: ask for less: a shorter time, such as last 1h, or fewer columns and groups\n")
    #expect(run("-F", store, "| sort time").errors.hasPrefix("error[B216]"))
  }
}
