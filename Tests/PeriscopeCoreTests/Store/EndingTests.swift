import Foundation
import PeriscopeCore
import TestSupport
import Testing

/// Whatever its host does, the log neither ends it nor keeps it waiting.
@Suite struct EndingTests {
  /// What a program that ended by itself has said.
  private func output(_ mode: String, _ store: String) throws -> String {
    let child = Process()
    child.executableURL = Bundle.main.executableURL?
      .deletingLastPathComponent().appendingPathComponent("crash-writer")
    child.arguments = [store, mode]
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    try #require(child.terminationReason == .exit && child.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func exitHandlersLogWhileOthersDo() throws {
    let directory = try TemporaryDirectory.inMemory()
    _ = try output("exit", directory.path)
    let store = try PeriscopeStore.make(
      storage: .directory(directory.path), session: .current(app: "tests"))
    defer { store.close() }
    let own = try store.query("scope = Exit session != current | sort sequence")
    #expect(own.summary.isComplete)
    let expected: [String] =
      ["lease"] + (1...1_000).map { "\($0)" } + [
        "exiting", "exit handler", "exit handler: success",
      ]
    #expect(own.records.map(\.message) == expected)
    #expect(try store.query("exit = orphaned").records.map(\.externalID) == ["1"])
    for thread in 0..<2 {
      let numbers = try store.query("scope = Exit/Thread-\(thread) | sort sequence").records
      #expect(numbers.map(\.message) == (0..<numbers.count).map { "\($0 + 1)" })
    }
  }

  @Test(arguments: ["abort", "trap", "fault"]) func theLastWordIsThere(ending: String) throws {
    let directory = try TemporaryDirectory.inMemory()
    let child = Process()
    child.executableURL = Bundle.main.executableURL?
      .deletingLastPathComponent().appendingPathComponent("crash-writer")
    child.arguments = [directory.path, ending]
    child.environment = ["SWIFT_BACKTRACE": "enable=no"]
    child.standardError = FileHandle.nullDevice
    try child.run()
    child.waitUntilExit()
    #expect(child.terminationReason == .uncaughtSignal)
    let store = try PeriscopeStore.make(
      storage: .directory(directory.path), session: .current(app: "tests"))
    defer { store.close() }
    #expect(try store.query("scope = End").records.map(\.message) == ["the last word"])
  }

  /// A host with a limit is told of it by a signal, which ends it, if anybody asks for more.
  @Test(arguments: ["mapped", "written"]) func filesMayNotBecomeLong(backend: String) throws {
    let directory = try TemporaryDirectory.inMemory()
    let output = try output("limited-\(backend)", directory.path)
    let failures = try #require(Int(output.dropLast()))
    let store = try PeriscopeStore.make(
      storage: .directory(directory.path), session: .current(app: "tests"))
    defer { store.close() }
    // Each file's last entry found out, and no more than that.
    #expect(failures > 0 && failures < 20)
    #expect(store.recovery.problems == [])
    #expect(try store.query("under Short").records.count == 1_001 - failures)
  }

  /// A file that is too long already may become shorter, whatever the limit.
  @Test func filesThatAreTooLongMayBecomeShorter() throws {
    let directory = try TemporaryDirectory.inMemory()
    let lengths = try output("cut", directory.path).split(separator: "\n").map(String.init)
    #expect(
      lengths == ["60000", "60000", "50000", "50000", "50000", "30000", "40000", "40000"])
  }

  @Test(arguments: ["mapped", "written"]) func filesAreClosedByOthers(backend: String) throws {
    let directory = try TemporaryDirectory.inMemory()
    let output = try output("descriptors-\(backend)", directory.path)
    let failures = try #require(Int(output.dropLast()))
    #expect(failures <= 5)
    let store = try PeriscopeStore.make(
      storage: .directory(directory.path), session: .current(app: "tests"))
    defer { store.close() }
    let result = try store.query("scope = Files -could | sort sequence")
    #expect(result.records.prefix(10).map(\.message) == (1...10).map { "before \($0)" })
    #expect(result.records.count + failures == 511)
    #expect(result.summary.isComplete)
  }

  /// Somebody deletes the whole store again and again while two threads log to it.
  @Test func theDirectoryIsDeletedWhileOthersLog() throws {
    let directory = try TemporaryDirectory.inMemory()
    let path = directory.path + "/store"
    let store = try PeriscopeStore.make(
      storage: .directory(path), session: .current(app: "tests"))
    let log = store.log("App")
    runThreads(3) { thread in
      if thread == 0 {
        for _ in 0..<3 {
          try? FileManager.default.removeItem(atPath: path)
          _ = try? store.compact()
        }
      } else {
        for number in 0..<300 {
          log.tagged("thread", thread).info("\(number)")
          log.measure("step") {}
        }
      }
    }
    // Something must be in the segment that `compact` ends, or it does not look where that is.
    log.info("before")
    try? FileManager.default.removeItem(atPath: path)
    _ = try? store.compact()
    log.info("after")
    // What was being folded when its file was deleted may have found its way back.
    #expect(try store.query("").records.first?.message == "after")
    #expect(store.openSpans().isEmpty)
    store.close()
  }
}
