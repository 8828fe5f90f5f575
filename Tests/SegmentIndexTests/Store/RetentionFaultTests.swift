import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Deaths, failures, losses of power and a full disk at every step of what takes records out of a store: it has happened
/// or it has not, and it can be done again.
@Suite struct RetentionFaultTests {
  /// A change that takes records out, and which there are before and after it.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: [Int]
    let after: [Int]
    let perform: @Sendable (SegmentStore) throws -> Void
  }

  static let changes = [
    Change(testDescription: "drop", before: Array(1...12), after: Array(9...12)) { store in
      try Compactor(store, rowLimit: 4).drop(beyond: Retention(maximumRecordCount: 4), now: .max)
    },
    // One segment stays, one is written anew, one goes as a whole.
    Change(testDescription: "remove", before: Array(1...12), after: [1, 2, 3, 4, 5, 7]) { store in
      try Compactor(store, rowLimit: 4).remove { $0.sequence == 6 || $0.sequence >= 8 }
    },
  ]

  /// A store of three segments, on stable storage.
  private func prepared() throws -> SimulatedDisk {
    let fixture = StoreFixture()
    try fixture.writeJournal(1...12)
    _ = try fixture.fold(try fixture.open(), rowLimit: 4)
    for path in fixture.disk.paths {
      let file = try fixture.disk.open(path, .read)
      try fixture.disk.sync(file)
      try fixture.disk.close(file)
    }
    return fixture.disk
  }

  private func calls(of change: Change, _ disk: SimulatedDisk) throws -> Int {
    let fixture = StoreFixture(disk: disk.copy())
    let before = fixture.disk.callCount
    try change.perform(try fixture.open())
    return fixture.disk.callCount - before
  }

  /// The change has happened or not, and happens now.
  private func check(_ change: Change, _ disk: SimulatedDisk, _ comment: Comment) throws {
    let fixture = StoreFixture(disk: disk)
    let found = try fixture.numbers(fixture.open().snapshot()).sorted()
    #expect(found == change.before || found == change.after, comment)
    let store = try fixture.open()
    try change.perform(store)
    #expect(try fixture.numbers(store.snapshot()).sorted() == change.after, comment)
    let reopened = try fixture.open()
    #expect(try fixture.numbers(reopened.snapshot()).sorted() == change.after, comment)
    #expect(try reopened.snapshot().gaps == [] && reopened.problems == [], comment)
    // Another commit removes what a death left; then what is gone is in no file.
    try StoreTransaction(reopened).commit()
    for path in disk.paths {
      #expect(!path.hasSuffix(".tmp"), comment)
      guard path.hasSuffix(".pseg"), let bytes = disk.content(of: path) else { continue }
      let records = try Segment(bytes: bytes, name: path).records()
      #expect(records.allSatisfy { change.after.contains(Int($0.sequence)) }, comment)
    }
  }

  @Test(arguments: changes) func theProcessDiesAfterAnyCall(change: Change) throws {
    let disk = try prepared()
    for call in 0...(try calls(of: change, disk)) {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.stop(after: call)
      do { try change.perform(try copy.open()) } catch {}
      copy.disk.restart()
      try check(change, copy.disk, "call \(call)")
    }
  }

  @Test(arguments: changes) func anyCallFailsOnce(change: Change) throws {
    let disk = try prepared()
    for call in 1...(try calls(of: change, disk)) {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.inject(.init(at: call))
      do { try change.perform(try copy.open()) } catch {}
      copy.disk.removeFaults()
      try check(change, copy.disk, "call \(call)")
    }
  }

  @Test(arguments: changes, [nil, 1, 2] as [UInt64?])
  func thePowerGoesAfterAnyCall(change: Change, seed: UInt64?) throws {
    let disk = try prepared()
    for call in 0...(try calls(of: change, disk)) {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.stop(after: call)
      do { try change.perform(try copy.open()) } catch {}
      copy.disk.crash(keeping: seed.map { .random(seed: $0 &+ UInt64(call)) } ?? .none)
      try check(change, copy.disk, "call \(call), seed \(seed ?? 0)")
    }
  }

  @Test(arguments: changes) func aFullDiskLosesNothing(change: Change) throws {
    let disk = try prepared()
    let used = disk.paths.reduce(0) { $0 + (disk.content(of: $1)?.count ?? 0) }
    for room in stride(from: 0, through: 4_000, by: 97) {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.capacity = used + room
      do { try change.perform(try copy.open()) } catch {}
      copy.disk.capacity = nil
      try check(change, copy.disk, "room \(room)")
    }
  }

  // MARK: - What counts

  /// What is attached goes with the records, so it counts with them.
  @Test func attachmentsCountAgainstTheByteLimit() throws {
    let fixture = StoreFixture()
    let store = try fixture.open()
    for number in 1...3 {
      let transaction = try StoreTransaction(store)
      var record = StoreFixture.record(number)
      // All have the first file, too.
      let files = [UniqueID(bits: 1), UniqueID(bits: UInt128(number))]
      record.attachments =
        AttachmentList(
          files.map {
            .init(name: "a", type: "b", content: .file($0, byteCount: 1 << 40, checksum: 0))
          }
        ).json
      try transaction.append(record)
      try transaction.commit()
      if number == 1 { _ = try fixture.disk.createDirectories("/store/attachments") }
      try AttachmentFiles.write(
        UniqueID(bits: UInt128(number)), [UInt8](repeating: 7, count: 100_000),
        besideJournal: "/store/attachments", sync: true, fixture.disk)
    }
    let compactor = Compactor(store)
    // The segments are short, and the first file counts once, for the newest that has it.
    #expect(try compactor.drop(beyond: Retention(maximumByteCount: 310_000), now: .max) == 0)
    #expect(try compactor.drop(beyond: Retention(maximumByteCount: 290_000), now: .max) == 2)
    #expect(try store.snapshot().segments.count == 1)
    #expect(fixture.files("attachments").count == 2)
  }
}
