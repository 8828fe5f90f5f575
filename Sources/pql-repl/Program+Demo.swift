package import PeriscopeCore

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

  /// The child's side: says which session it is, then logs into a store until it is killed.
  static func runDemoApp(_ directory: String) throws {
    let store = try PeriscopeStore.make(
      storage: .directory(directory), session: .current(app: "Shop 3.2.1"))
    let output = Output(descriptor: 1, isBuffered: false)
    output.line(store.session.id.description)
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
    let (session, acknowledged) = try logAndKill(directory)
    tell("3. Opening the store. Whatever the dead process left is recovered and folded.")
    let recovery = try PeriscopeStore.recover(directory: directory)
    for line in recoveryLines(recovery) { tell("   " + line) }
    let missing = try missingRecords(
      of: session, upTo: acknowledged, in: StoreReader(directory: directory))
    guard missing.isEmpty else {
      let first = missing.prefix(10).map(String.init).joined(separator: ", ")
      tell("   \(grouped(missing.count)) acknowledged records are missing: number \(first)")
      return .incomplete
    }
    tell(
      "   Every acknowledged record is there, 1 to \(grouped(acknowledged)) by its identity: "
        + "\(grouped(recovery.recordCount)) recovered.")
    tell("4. Asking.")
    let source = try open(directory)
    guard options.operands.isEmpty else { return try answer(source, words: options.operands) }
    for query in Self.demoQueries {
      tell("", "pql> \(query)")
      var runner = self.runner(source)
      guard runner.run(query) == .done else { return .unavailable }
    }
    tell("", "The store stays in \(directory)")
    guard isTerminal(0) else { return .done }
    return try answer(source, words: [])
  }

  /// Starts the app, waits until it has logged a good deal, and kills it. Returns its session, and
  /// how many records it had acknowledged.
  private func logAndKill(_ directory: String) throws -> (session: UniqueID, acknowledged: Int) {
    let app = try ChildProcess(arguments: [Self.demoAppArgument, directory])
    tell("1. A small shop, process \(app.identifier), logs into \(directory)")
    guard let session = app.readLine().flatMap({ UniqueID($0) }) else {
      _ = app.killAndWait()
      throw CommandFailure("the app did not say which session it is", .unavailable)
    }
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
    return (session, acknowledged)
  }

  private func tell(_ lines: String...) {
    for line in lines { errors.line(line) }
  }
}

/// Which of a session's records from 1 to `count` are not in the store, or are there more than once.
/// A record's identity follows from its session and its number.
package func missingRecords(
  of session: UniqueID, upTo count: Int, in reader: StoreReader
) throws -> [Int] {
  let result = try reader.run(
    Query("session = $session"), parameters: ["session": .uuid(session)], limits: .unlimited)
  var found: [UniqueID: Int] = [:]
  for record in result.records { found[record.id, default: 0] += 1 }
  return (0..<count).map { $0 + 1 }.filter { number in
    found[UniqueID(session: session, sequence: UInt64(number))] != 1
  }
}
