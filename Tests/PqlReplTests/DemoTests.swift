import Foundation
import PeriscopeCore
import TestSupport
import Testing
import pql_repl

/// The real program, as a person runs it.
@Suite struct DemoTests {
  /// Runs the built program and returns what it wrote and its exit code.
  static func run(
    _ arguments: [String], input text: String = ""
  ) throws -> (code: Int32, output: String, errors: String) {
    let program = Process()
    program.executableURL = Bundle.main.executableURL?
      .deletingLastPathComponent().appendingPathComponent("pql-repl")
    program.arguments = arguments
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    program.standardInput = input
    program.standardOutput = output
    program.standardError = errors
    try program.run()
    input.fileHandleForWriting.write(Data(text.utf8))
    try input.fileHandleForWriting.close()
    let written = output.fileHandleForReading.readDataToEndOfFile()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    program.waitUntilExit()
    return (
      program.terminationStatus, String(decoding: written, as: UTF8.self),
      String(decoding: said, as: UTF8.self)
    )
  }

  /// Numbers would agree when one record is lost and another one is there twice.
  @Test func recordsAreComparedByIdentity() throws {
    let directory = try TemporaryDirectory()
    let first = UniqueID(bits: 1)
    let importer = try LogImporter(into: directory.path, session: SessionInfo(id: first, start: 0))
    for (session, sequence) in [
      (first, 1), (first, 2), (first, 2), (UniqueID(bits: 2), 3), (first, 5),
    ] {
      let sequence = UInt64(sequence)
      var batch = RecordBatch()
      batch.append(
        Record(
          id: UniqueID(session: session, sequence: sequence), time: 0, sequence: sequence,
          session: session, level: .info, event: "message", message: ""))
      try importer.add(batch)
    }
    try importer.finish()
    let reader = try StoreReader(directory: directory.path)
    #expect(try missingRecords(of: first, upTo: 5, in: reader) == [2, 3, 4])
    #expect(try missingRecords(of: first, upTo: 1, in: reader) == [])
    #expect(try missingRecords(of: first, upTo: 0, in: reader) == [])
  }

  @Test func everythingAcknowledgedIsFoundAfterTheKill() throws {
    let directory = try TemporaryDirectory()
    let store = directory.path + "/store"
    let demo = try Self.run(["demo", "--keep", store, "| count"])
    #expect(demo.code == 0, "\(demo.errors)")
    #expect(demo.errors.contains("Killed with SIGKILL"))
    #expect(demo.errors.contains("Every acknowledged record is there, 1 to "))
    // The store is kept, and whole.
    let verified = try Self.run(["verify", store])
    #expect(verified.code == 0, "\(verified.output)")
    #expect(try Self.run([store], input: "# the same again\n| count\n").output == demo.output)
  }
}
