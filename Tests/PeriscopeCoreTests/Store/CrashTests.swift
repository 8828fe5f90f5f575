import Foundation
import PeriscopeCore
import TestSupport
import Testing

/// Promise 1, against a real process: an acknowledged record survives SIGKILL at any instruction.
///
/// A child logs from two threads and reports each returned call through a pipe; it is killed at a random
/// moment. `PERISCOPE_CRASH_ROUNDS` sets the number of rounds, `PERISCOPE_SEED` replays them.
@Suite struct CrashTests {
  @Test func acknowledgedRecordsSurviveSIGKILL() throws {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["PERISCOPE_CRASH_ROUNDS"].flatMap(Int.init) ?? 5
    let seed = environment["PERISCOPE_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    for round in 0..<rounds {
      let directory = try TemporaryDirectory()
      let store = directory.path + "/store"
      let acknowledged = try killedChild(
        store: store, afterLines: Int.random(in: 1...4000, using: &random))
      for opening in 1...2 {
        try check(
          store: store, acknowledged: acknowledged,
          "round \(round), opening \(opening), PERISCOPE_SEED=\(seed)")
      }
    }
  }

  /// Runs a child until it has acknowledged some records, kills it, and returns the last number that
  /// each thread acknowledged.
  private func killedChild(store: String, afterLines limit: Int) throws -> [Int: Int] {
    let child = Process()
    child.executableURL = Bundle.main.executableURL?
      .deletingLastPathComponent().appendingPathComponent("crash-writer")
    child.arguments = [store]
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    var lines = 0
    var output = Data()
    while lines < limit {
      let part = pipe.fileHandleForReading.availableData
      if part.isEmpty { break }
      lines += part.count { $0 == UInt8(ascii: "\n") }
      output += part
    }
    kill(child.processIdentifier, SIGKILL)
    while case let part = pipe.fileHandleForReading.availableData, !part.isEmpty { output += part }
    child.waitUntilExit()
    try #require(child.terminationReason == .uncaughtSignal)

    var last: [Int: Int] = [:]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ").compactMap { Int($0) }
      last[parts[0]] = parts[1]
    }
    return last
  }

  /// Everything acknowledged is there once and in order, and at most the one call of each thread that had
  /// not returned is there besides.
  private func check(store: String, acknowledged: [Int: Int], _ comment: Comment) throws {
    let opened = try PeriscopeStore.make(
      storage: .directory(store), session: .current(app: "reader 1.0"))
    defer { opened.close() }
    for thread in 0..<2 {
      let result = try opened.query("scope = Crash/Thread-\(thread) | sort time")
      let numbers = result.records.map { $0.tags[0].value }
      let last = acknowledged[thread] ?? 0
      #expect(
        numbers == (1...max(numbers.count, 1)).prefix(numbers.count).map { .int(Int64($0)) },
        comment)
      #expect(numbers.count == last || numbers.count == last + 1, comment)
      #expect(result.summary.isComplete, comment)
    }
  }
}
