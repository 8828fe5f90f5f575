import Foundation
import JournalKit
import TestSupport
import Testing

/// A forked child has a copy of the parent's journal and must leave the parent's file alone.
@Suite struct JournalForkTests {
  @Test(arguments: ["written", "mapped"]) func aChildHasAJournalOfItsOwn(backend: String) throws {
    let temporary = try TemporaryDirectory()
    let program = Self.program(temporary.path, backend)
    try program.run()
    program.waitUntilExit()
    try #require(program.terminationReason == .exit && program.terminationStatus == 0)
    for (name, last) in [("parent", 150), ("child", 50)] as [(String, UInt8)] {
      let recovery = try JournalRecovery.recover(directory: "\(temporary.path)/\(name)")
      #expect(recovery.entries.map(\.payload) == (1...last).map { [$0] })
      #expect(recovery.report.damages == [] && recovery.report.isCleanlyClosed)
    }
  }

  /// A child that lives on does not keep what a dead parent had locked.
  @Test func aChildDoesNotKeepTheClaim() throws {
    let temporary = try TemporaryDirectory()
    let program = Self.program(temporary.path, "abandon")
    try program.run()
    program.waitUntilExit()
    #expect(program.terminationReason == .exit && program.terminationStatus == 0)
  }

  private static func program(_ directory: String, _ mode: String) -> Process {
    let program = Process()
    program.executableURL = Bundle.main.executableURL?
      .deletingLastPathComponent().appendingPathComponent("fork-writer")
    program.arguments = [directory, mode]
    return program
  }
}
