import Foundation
import PeriscopeCore
import TestSupport
import Testing

/// What a forked child logs goes nowhere, costs the parent nothing, and lets nobody wait.
@Suite struct StoreForkTests {
  @Test func aChildLogsClosesAndExits() throws {
    let temporary = try TemporaryDirectory()
    let program = Process()
    program.executableURL = Bundle.main.executableURL?
      .deletingLastPathComponent().appendingPathComponent("fork-writer")
    program.arguments = [temporary.path, "store"]
    try program.run()
    program.waitUntilExit()
    try #require(program.terminationReason == .exit && program.terminationStatus == 0)
    let store = try PeriscopeStore.make(
      storage: .directory(temporary.path), session: .current(app: "tests"))
    let records = try store.query("| sort sequence").records
    #expect(
      records.map(\.message) == [
        "lease", "parent, before", "forking", "forking: success", "parent, after",
        "lease: success",
      ])
    #expect(records.map(\.sequence) == [1, 2, 3, 4, 5, 6])
    #expect(try store.query("").summary.isComplete)
  }
}
