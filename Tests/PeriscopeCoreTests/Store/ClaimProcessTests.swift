import Foundation
import JournalKit
import PeriscopeCore
import TestSupport
import Testing

/// Claims between real processes: a journal whose owner lives is nobody else's, and a dead one's goes to exactly one.
@Suite struct ClaimProcessTests {
  /// A child that logs into a store until it is killed.
  private struct Writer {
    let process = Process()
    private let pipe = Pipe()

    init(_ store: String) throws {
      process.executableURL = Bundle.main.executableURL?
        .deletingLastPathComponent().appendingPathComponent("crash-writer")
      process.arguments = [store]
      process.standardOutput = pipe
      #if canImport(Glibc)
        // F_SETPIPE_SZ: a full pipe stops it after a few hundred records, which are enough.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, 1031, 4096)
      #endif
      try process.run()
    }

    /// Waits until it has logged something.
    func waitForALine() throws {
      try #require(!pipe.fileHandleForReading.availableData.isEmpty)
    }

    func killed() {
      // Its output has to go somewhere, or it would wait.
      pipe.fileHandleForReading.closeFile()
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  private let fileSystem = POSIXFileSystem()

  private func journals(_ store: String) throws -> [String] {
    try fileSystem.list("\(store)/journals").map { "\(store)/journals/\($0)" }
  }

  @Test func aLivingJournalIsNobodyElses() throws {
    let directory = try TemporaryDirectory()
    let store = directory.path + "/store"
    let writer = try Writer(store)
    try writer.waitForALine()
    let journal = try #require(try journals(store).first)
    #expect(try JournalClaim.claim(directory: journal, fileSystem: fileSystem) == nil)
    #expect(throws: JournalError.ownedByAnother(directory: journal)) {
      try JournalRecovery.remove(directory: journal)
    }
    // Another process opens the store, and folds what is abandoned: this is not.
    try PeriscopeStore.make(storage: .directory(store), session: .current(app: "other 1.0")).close()
    #expect(try journals(store).contains(journal))
    #expect(writer.process.isRunning)
    writer.killed()

    let claims = try (0..<8).map { _ in
      try JournalClaim.claim(directory: journal, fileSystem: fileSystem)
    }
    #expect(claims.count { $0 != nil } == 1 && claims[0] != nil)
  }

  /// Two processes open a store in which a third one died: what that logged is there once.
  @Test func aDeadJournalIsFoldedOnce() throws {
    let directory = try TemporaryDirectory()
    let store = directory.path + "/store"
    let dead = try Writer(store)
    try dead.waitForALine()
    let journal = try #require(try journals(store).first)
    dead.killed()
    let logged = try JournalRecovery.recover(directory: journal).entries.count

    let heirs = try [Writer(store), Writer(store)]
    for heir in heirs {
      try heir.waitForALine()
      heir.killed()
    }
    let opened = try PeriscopeStore.make(
      storage: .directory(store), session: .current(app: "reader 1.0"))
    defer { opened.close() }
    for thread in 0..<2 {
      let records = try opened.query("scope = Crash/Thread-\(thread)").records
      for (session, records) in Dictionary(grouping: records, by: \.session) {
        let numbers = Set(records.map { $0.tags[0].value })
        #expect(numbers.count == records.count, "session \(session), thread \(thread)")
        #expect(
          numbers == Set((1...records.count).map { .int(Int64($0)) }), "session \(session)")
      }
    }
    #expect(logged > 0)
    #expect(!(try journals(store).contains(journal)))
  }
}
