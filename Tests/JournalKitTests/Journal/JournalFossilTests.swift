import Foundation
import JournalKit
import TestSupport
import Testing

/// Journals of every state, made once and read the same way for ever.
@Suite struct JournalFossilTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/journal-v1")
  private static let verdictName = "recovered.txt"

  private static var committed: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return names.filter { !$0.contains(".") }.sorted()
  }

  private func disk(of fossil: String) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let directory = Self.root.appending(path: fossil)
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
    where name != Self.verdictName {
      let bytes = Array(try Data(contentsOf: directory.appending(path: name)))
      disk.setContent(of: FilePath.join(JournalFixture.directory, name), to: bytes)
    }
    return disk
  }

  @Test(arguments: committed) func aFossilIsReadAsItAlwaysWas(fossil: String) throws {
    let verdict = Self.root.appending(path: fossil).appending(path: Self.verdictName)
    let expected = try String(contentsOf: verdict, encoding: .utf8)
    #expect(try JournalVerdict(of: disk(of: fossil)).text == expected)
  }

  /// A fossil can be continued, unless a newer program made it, and none of it is changed.
  @Test(arguments: committed) func aFossilCanBeContinued(fossil: String) throws {
    let disk = try disk(of: fossil)
    let fixture = JournalFixture(disk: disk)
    let before = Dictionary(uniqueKeysWithValues: disk.paths.map { ($0, disk.content(of: $0)) })
    let recovery = try fixture.recover()
    if fossil.hasPrefix("newer-format") {
      #expect(throws: JournalError.self) { try fixture.open() }
    } else {
      let journal = try fixture.open()
      let sequence = try journal.append([1])
      #expect(try fixture.recover().sequences == recovery.sequences + [sequence])
      journal.close()
    }
    for (path, content) in before { #expect(disk.content(of: path) == content) }
  }

  @Test func everyStateIsCommitted() throws {
    let names = JournalFossils.states.flatMap { state in
      state.backends.map { "\(state.name)-\($0)" }
    }
    if ProcessInfo.processInfo.environment["PERISCOPE_MAKE_FIXTURES"] != nil {
      for name in names where !Self.committed.contains(name) { try make(name) }
    }
    #expect(Set(Self.committed) == Set(names))
  }

  private func make(_ name: String) throws {
    let backend: Journal.Configuration.Backend = name.hasSuffix("-mapped") ? .mapped : .written
    let fixture = JournalFixture(backend: backend)
    let state = try #require(JournalFossils.states.first { name.hasPrefix("\($0.name)-") })
    try state.make(fixture)
    let directory = Self.root.appending(path: name)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for number in fixture.segments {
      let path = fixture.path(number)
      let bytes = try #require(fixture.disk.content(of: path))
      try Data(bytes).write(to: directory.appending(path: FilePath.name(of: path)))
    }
    try JournalVerdict(of: disk(of: name)).text.write(
      to: directory.appending(path: Self.verdictName), atomically: true, encoding: .utf8)
  }
}
