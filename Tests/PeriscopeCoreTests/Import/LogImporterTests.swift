import PeriscopeCore
import SegmentIndex
import TestSupport
import Testing

@Suite struct LogImporterTests {
  private static func record(_ sequence: UInt64, of session: UniqueID, at time: Int64) -> Record {
    Record(
      id: UniqueID(session: session, sequence: sequence), time: time, sequence: sequence,
      session: session, level: .info, event: "message", message: "")
  }

  /// Logs are imported in any order: the newest of several files first, or from new to old within one.
  @Test func aSessionBeginsWithItsEarliestRecord() throws {
    let directory = try TemporaryDirectory()
    let (own, one, other) = (UniqueID(bits: 1), UniqueID(bits: 2), UniqueID(bits: 3))
    let described = SessionInfo(id: own, start: 90, app: "import")
    let importer = try LogImporter(into: directory.path, session: described)
    for records in [
      [(one, 70), (one, 60), (one, 65), (other, 80), (one, 66)], [(own, 10), (one, 50)],
      [(other, 81), (one, 55)],
    ] as [[(UniqueID, Int64)]] {
      var batch = RecordBatch()
      for (session, time) in records {
        batch.append(Self.record(UInt64(time), of: session, at: time))
      }
      try importer.add(batch)
    }
    try importer.finish()
    let sessions = try StoreReader(directory: directory.path).sessions()
    #expect(
      sessions == [
        SessionInfo(id: one, start: 50), SessionInfo(id: other, start: 80), described,
      ])
  }

  /// Whoever continues the session counts on from its numbers.
  @Test(arguments: [UInt64.max, 1 << 63]) func noSessionGetsToTheLastNumbers(last: UInt64) throws {
    let directory = try TemporaryDirectory()
    let session = SessionInfo(id: UniqueID(bits: 1), start: 90, app: "import")
    let importer = try LogImporter(into: directory.path, session: session)
    var batch = RecordBatch()
    batch.append(Self.record(last, of: session.id, at: 1))
    batch.append(Self.record(7, of: session.id, at: 2))
    try importer.add(batch)
    try importer.finish()
    let store = try PeriscopeStore.make(storage: .directory(directory.path), session: session)
    defer { store.close() }
    store.log("A").info("next")
    #expect(try store.query("next").records.map(\.sequence) == [8])
  }
}
