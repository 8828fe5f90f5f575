import PeriscopeCore

// `demo`: an app logs, is killed in mid-flight, and its store answers.

extension Program {
  /// The first argument of the demonstration's app, which no person types.
  static let demoAppArgument = "--demo-app"

  private static let demoQueries = [
    "| count by level",
    "event = payment.declined | count by payload.reason",
    "has tag.gateway_ms | stats n = count(), p50(tag.gateway_ms), p95(tag.gateway_ms)",
    "under Shop/Payments level >= error | limit 3",
  ]

  /// The child's side: logs into a store until it is killed.
  static func runDemoApp(_ directory: String) throws {
    let store = try PeriscopeStore.make(
      storage: .directory(directory), session: .current(app: "Shop 3.2.1"))
    let output = Output(descriptor: 1, isBuffered: false)
    DemoApp(log: store.log("Shop")) { output.line(String($0)) }.run()
  }

  /// The parent's side: the story, step by step.
  func demonstrate() throws -> ExitCode {
    let directory: String
    if let kept = options.keep {
      directory = kept
    } else {
      directory = try makeTemporaryDirectory(prefix: "periscope-demo") + "/store"
    }
    let acknowledged = try logAndKill(directory)
    tell("3. Opening the store. Whatever the dead process left is recovered and folded.")
    let recovery = try PeriscopeStore.recover(directory: directory)
    for line in recoveryLines(recovery) { tell("   " + line) }
    let isWhole = recovery.recordCount >= acknowledged
    let verdict = isWhole ? "Every acknowledged record is there" : "Records are missing"
    tell(
      "   \(verdict): \(grouped(acknowledged)) acknowledged, "
        + "\(grouped(recovery.recordCount)) recovered.")
    guard isWhole else { return .incomplete }
    tell("4. Asking.")
    let source = try open(directory)
    guard options.operands.isEmpty else { return try answer(source, words: options.operands) }
    for query in Self.demoQueries {
      tell("", "pql> \(query)")
      let runner = self.runner(source)
      guard runner.run(query) == .done else { return .unavailable }
    }
    tell("", "The store stays in \(directory)")
    guard isTerminal(0) else { return .done }
    return try answer(source, words: [])
  }

  /// Starts the app, waits until it has logged a good deal, and kills it. Returns how many records
  /// it had acknowledged.
  private func logAndKill(_ directory: String) throws -> Int {
    let app = try ChildProcess(arguments: [Self.demoAppArgument, directory])
    tell("1. A small shop, process \(app.identifier), logs into \(directory)")
    var acknowledged = 0
    while acknowledged < 5_000, let line = app.readLine() {
      acknowledged = Int(line) ?? acknowledged
    }
    // It goes on a little, so that the end comes in the middle of something.
    pause(milliseconds: 3)
    guard app.killAndWait() else {
      throw CommandFailure("the app ended before it could be killed", .unavailable)
    }
    // What it still managed to say before it died.
    while let line = app.readLine() { acknowledged = Int(line) ?? acknowledged }
    tell(
      "2. Killed with SIGKILL in mid-flight, after it had acknowledged "
        + "\(grouped(acknowledged)) records.")
    return acknowledged
  }

  private func tell(_ lines: String...) {
    for line in lines { errors.line(line) }
  }
}
