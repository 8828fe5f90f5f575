import PeriscopeCore

/// A command of a session. The table drives dispatch and help.
struct DotCommand: Sendable {
  let name: String
  /// What may follow it.
  let argument: String
  let summary: String
  let run: @Sendable (inout Session, String) throws(UsageError) -> Void

  static let all: [DotCommand] = [
    DotCommand(name: ".help", argument: "", summary: "this list, and PQL on a card") {
      session, _ in
      session.runner.output.write(sessionHelp())
      session.runner.output.flush()
    },
    DotCommand(name: ".fields", argument: "[PREFIX]", summary: "the fields of a record") {
      session, prefix in
      let fields = PQL.fields.filter { $0.name.hasPrefix(prefix) }
      var rows = fields.map { ($0.name, $0.summary) }
      if "tag.".hasPrefix(prefix) || prefix.hasPrefix("tag.") {
        rows.append(("tag.NAME", "a named value, of whatever type it was logged with"))
      }
      session.show(aligned(rows))
    },
    DotCommand(name: ".mode", argument: "[MODE]", summary: "how rows are shown: \(modeNames)") {
      session, name throws(UsageError) in
      guard !name.isEmpty else { return session.show([session.runner.mode.rawValue]) }
      guard let mode = Options.Mode(rawValue: name) else { throw UsageError("one of \(modeNames)") }
      session.runner.mode = mode
    },
    DotCommand(name: ".limit", argument: "[N]", summary: "the most rows that are shown; 0 for all")
    {
      session, text throws(UsageError) in
      guard !text.isEmpty else {
        return session.show([session.runner.rowLimit.map(String.init) ?? "0"])
      }
      guard let limit = Int(text), limit >= 0 else { throw UsageError("a number") }
      session.runner.rowLimit = limit == 0 ? nil : limit
    },
    DotCommand(name: ".timer", argument: "on|off", summary: "whether to say how long it took") {
      session, text throws(UsageError) in
      guard text == "on" || text == "off" else { throw UsageError("on or off") }
      session.runner.showsTime = text == "on"
    },
    DotCommand(name: ".info", argument: "", summary: "what the store is") {
      session, _ throws(UsageError) in
      session.show(try session.asked(session.runner.source.summary))
    },
    DotCommand(name: ".sessions", argument: "", summary: "the runs that were logged") {
      session, _ throws(UsageError) in
      let sessions = try session.asked(session.runner.source.sessions)
      session.show(sessions.isEmpty ? ["none"] : session.table(of: sessions))
    },
    DotCommand(name: ".gaps", argument: "", summary: "what the store is known to lack") {
      session, _ throws(UsageError) in
      let result = try session.asked { try session.runner.source.answer(Query("| limit 0")) }
      let gaps = result.summary.gaps.map(session.runner.text)
      session.show(gaps.isEmpty ? ["none"] : gaps)
    },
    DotCommand(name: ".more", argument: "", summary: "the rows after those shown last") {
      session, _ in session.note(session.runner.showMore())
    },
    DotCommand(name: ".explain", argument: "QUERY", summary: "how a query is answered") {
      session, text in session.note(session.runner.explain(text))
    },
    DotCommand(
      name: ".follow", argument: "QUERY", summary: "show what is new, until Ctrl-C"
    ) { session, text in
      session.note(session.runner.follow(text))
    },
    DotCommand(name: ".quit", argument: "", summary: "leave; also Ctrl-D") { session, _ in
      session.isOver = true
    },
  ]
}

private let modeNames = Options.Mode.allCases.map(\.rawValue).joined(separator: ", ")

extension Session {
  /// Writes lines to the output.
  fileprivate func show(_ lines: [String]) {
    for line in lines { runner.output.line(line) }
    runner.output.flush()
  }

  /// What the source says, or why it says nothing.
  fileprivate func asked<Answer>(_ question: () throws -> Answer) throws(UsageError) -> Answer {
    do {
      return try question()
    } catch {
      throw UsageError("\(error)".terminalSafe)
    }
  }

  fileprivate func table(of sessions: [SessionInfo]) -> [String] {
    let layout = TableLayout(
      ["start", "app", "os", "device", "session"].map { TableLayout.Column($0) })
    let rows = sessions.map { session in
      [
        timeText(session.start, in: runner.zone), session.app.terminalSafe,
        session.os.terminalSafe, session.device.terminalSafe, session.id.description,
      ]
    }
    return layout.lines(rows, width: runner.output.width, style: runner.outputStyle)
  }
}

/// What `.help` prints.
func sessionHelp() -> String {
  let commands = DotCommand.all.map {
    ($0.argument.isEmpty ? $0.name : "\($0.name) \($0.argument)", $0.summary)
  }
  let card = [
    ("timeout", "messages that contain it, in any case"),
    ("\"disk full\" -retry", "the phrase, and not the word"),
    ("level >= error last 1h", "spaces mean \"and\"; (a or b) needs parentheses"),
    ("under App/Photos", "records with a scope there or below"),
    ("tag.user = 42  has tag.user", "tags; what a record lacks is never = and always !="),
    ("payload.items[0].sku = A*", "the event's fields; * and ? are wildcards unless quoted"),
    ("... | count by level", "stages follow"),
  ]
  let stages = PQL.stages.map { ("| " + $0.usage, $0.summary) }
  var lines = ["Commands:"] + aligned(commands)
  lines += ["", "Queries:"] + aligned(card)
  lines += ["", "Stages:"] + aligned(stages)
  return lines.joined(separator: "\n") + "\n"
}
