import Foundation
import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

/// One after another, for one of them sends signals to the process they all run in.
@Suite(.serialized) struct ProcessSignalsTests {
  /// A child that got `signals` when it was ready.
  private func child(
    _ mode: String, in directory: TemporaryDirectory, _ signals: [Int32]
  ) throws -> (child: Process, output: String) {
    let child = Process()
    child.executableURL = Bundle.main.executableURL?
      .deletingLastPathComponent().appendingPathComponent("crash-writer")
    child.arguments = [directory.path + "/store", mode]
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    var output = Data()
    while !output.contains(UInt8(ascii: "\n")) {
      let part = pipe.fileHandleForReading.availableData
      if part.isEmpty { break }
      output += part
    }
    for signal in signals { kill(child.processIdentifier, signal) }
    while case let part = pipe.fileHandleForReading.availableData, !part.isEmpty { output += part }
    child.waitUntilExit()
    return (child, String(decoding: output, as: UTF8.self))
  }

  private func messages(in directory: TemporaryDirectory) throws -> [String] {
    // Not a store of this process: it would still be tidying up when the directory goes.
    let reader = try StoreReader(directory: directory.path + "/store")
    return try reader.query("event = ambient.process | sort sequence").records.map(\.message)
  }

  @Test(arguments: [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGHUP, "SIGHUP")])
  func theLastWordOfAProcessIsWhoEndedIt(signal: Int32, name: String) throws {
    let directory = try TemporaryDirectory.inMemory()
    let (child, _) = try child("signals", in: directory, [signal])
    // As if nobody had listened.
    #expect(child.terminationReason == .uncaughtSignal)
    #expect(child.terminationStatus == signal)
    #expect(
      try messages(in: directory)
        == ["the process is running", "the process was asked to end (\(name))"])
  }

  @Test func aHandlerThatWasThereRuns() throws {
    let directory = try TemporaryDirectory.inMemory()
    let (child, output) = try child("handled", in: directory, [SIGTERM])
    #expect(output == "ready\nhandled\n")
    #expect(child.terminationReason == .exit)
    #expect(child.terminationStatus == 0)
    #expect(
      try messages(in: directory)
        == ["the process is running", "the process was asked to end (SIGTERM)"])
  }

  @Test func everyWatchIsToldUntilItEnds() async throws {
    let counts = Mutex([0, 0])
    let (told, teller) = AsyncStream.makeStream(of: Void.self)
    let first = try SignalWatch { _ in counts.withLock { $0[0] += 1 } }
    let second = try SignalWatch { _ in
      counts.withLock { $0[1] += 1 }
      teller.yield()
    }
    var turns = told.makeAsyncIterator()
    kill(getpid(), SIGCONT)
    await turns.next()
    #expect(counts.withLock { $0 } == [1, 1])
    first.end()
    first.end()
    kill(getpid(), SIGCONT)
    await turns.next()
    #expect(counts.withLock { $0 } == [1, 2])
    second.end()
  }

  @Test func aSignalThatComesMeanwhileIsToldToo() async throws {
    let count = Mutex(0)
    let (told, teller) = AsyncStream.makeStream(of: Int.self)
    let watch = try SignalWatch { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 1 { kill(getpid(), SIGCONT) }
      teller.yield(number)
    }
    kill(getpid(), SIGCONT)
    for await number in told where number == 2 { break }
    watch.end()
  }

  @Test func aSourceRunsOnce() throws {
    let reports = Reports()
    let source = ProcessSignals()
    try source.start(reports.add)
    #expect(throws: AmbientError.alreadyStarted) { try source.start(reports.add) }
    source.stop()
    source.stop()
    try source.start(reports.add)
    source.stop()
    let states = reports.take().compactMap { $0 as? ProcessState }
    #expect(states == [ProcessState(state: .running), ProcessState(state: .running)])
  }
}
