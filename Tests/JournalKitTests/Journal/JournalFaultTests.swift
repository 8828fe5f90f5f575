import JournalKit
import TestSupport
import Testing

/// Failing calls, deaths and losses of power at every point. What was acknowledged is recovered, what is
/// recovered was submitted, in order and once.
@Suite struct JournalFaultTests {
  typealias Backend = Journal.Configuration.Backend

  private static let count = 30
  private static let backends: [Backend] = [.written, .mapped]

  /// Appends the entries 1 to `count`, and returns those that were acknowledged.
  private func run(_ fixture: JournalFixture, sync: Sync = .processDeath) -> [Int] {
    guard let journal = try? fixture.open(budget: 1 << 20) else { return [] }
    var acknowledged: [Int] = []
    for number in 1...Self.count {
      let isDone = (try? journal.append(JournalFixture.entry(number), sync: sync)) != nil
      // A dead process acknowledges nothing, though its mappings still take what it stores.
      if isDone && !fixture.disk.isStopped { acknowledged.append(number) }
    }
    journal.close()
    return acknowledged
  }

  private func check(
    _ fixture: JournalFixture, _ acknowledged: [Int], _ comment: Comment,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let recovery = try fixture.recover()
    let entries = JournalFixture.entries(1...Self.count)
    let numbers = recovery.payloads.compactMap { payload in
      entries.firstIndex(of: payload).map { $0 + 1 }
    }
    #expect(numbers.count == recovery.entries.count, comment, sourceLocation: location)
    #expect(Set(numbers).isSuperset(of: acknowledged), comment, sourceLocation: location)
    #expect(numbers == numbers.sorted(), comment, sourceLocation: location)
    #expect(Set(numbers).count == numbers.count, comment, sourceLocation: location)
    #expect(recovery.report.damages == [], comment, sourceLocation: location)
  }

  private func calls(
    _ backend: Backend, sync: Sync = .processDeath, transferLimit: Int = .max
  ) -> Int {
    let fixture = JournalFixture(backend: backend)
    fixture.disk.transferLimit = transferLimit
    #expect(run(fixture, sync: sync) == Array(1...Self.count))
    return fixture.disk.callCount
  }

  @Test(arguments: [Int.max, 7], backends)
  func everyCallFailsOnce(transferLimit: Int, backend: Backend) throws {
    for call in 1...calls(backend, transferLimit: transferLimit) {
      let fixture = JournalFixture(backend: backend)
      fixture.disk.transferLimit = transferLimit
      fixture.disk.inject(.init(at: call))
      let acknowledged = run(fixture)
      // At most the entry that the failure hit; none of the later ones.
      #expect(acknowledged.isEmpty || acknowledged.count >= Self.count - 1, "call \(call)")
      try check(fixture, acknowledged, "call \(call)")
    }
  }

  @Test(arguments: backends) func everyCallFailsFromSomeTimeOn(backend: Backend) throws {
    for call in 1...calls(backend) {
      let fixture = JournalFixture(backend: backend)
      fixture.disk.inject(.init(at: call, repeats: true))
      let acknowledged = run(fixture)
      fixture.disk.removeFaults()
      try check(fixture, acknowledged, "call \(call)")
    }
  }

  @Test(arguments: [Int.max, 7], backends)
  func theProcessDiesAfterEveryCall(transferLimit: Int, backend: Backend) throws {
    for call in 0..<calls(backend, transferLimit: transferLimit) {
      let fixture = JournalFixture(backend: backend)
      fixture.disk.transferLimit = transferLimit
      fixture.disk.stop(after: call)
      let acknowledged = run(fixture)
      fixture.disk.restart()
      try check(fixture, acknowledged, "call \(call)")
      // A second life continues behind the first.
      fixture.disk.transferLimit = .max
      let journal = try fixture.open()
      let sequence = try journal.append(JournalFixture.entry(Self.count))
      #expect(try fixture.recover().sequences.last == sequence)
      #expect(try fixture.recover().report.damages == [])
    }
  }

  @Test(arguments: backends) func fullEntriesSurviveEveryLossOfPower(backend: Backend) throws {
    for call in stride(from: 0, to: calls(backend, sync: .full), by: 3) {
      for seed in [nil, 1, 2, 3] as [UInt64?] {
        let fixture = JournalFixture(backend: backend)
        fixture.disk.stop(after: call)
        let acknowledged = run(fixture, sync: .full)
        fixture.disk.crash(keeping: seed.map { .random(seed: $0) } ?? .none)
        try check(fixture, acknowledged, "call \(call), seed \(seed ?? 0)")
      }
    }
  }

  /// Without `.full` a loss of power may take anything, but recovery stays honest and nothing is invented.
  @Test(arguments: backends) func aLossOfPowerNeverInvents(backend: Backend) throws {
    for seed in 0..<60 as Range<UInt64> {
      let fixture = JournalFixture(backend: backend)
      let journal = try fixture.open(segment: 8 << 10)
      for number in 1...600 {
        let sync = number == 300 ? Sync.full : .processDeath
        try journal.append(JournalFixture.entry(number), sync: sync)
      }
      fixture.disk.crash(keeping: .random(seed: seed))
      let recovery = try fixture.recover()
      for entry in recovery.entries {
        #expect(entry.payload == JournalFixture.entry(Int(entry.sequence)), "seed \(seed)")
      }
      #expect(recovery.sequences == recovery.sequences.sorted(), "seed \(seed)")
      #expect(recovery.sequences.contains(300), "seed \(seed)")
      if let missing = recovery.missing, let last = recovery.sequences.last {
        let dropped = recovery.report.droppedEntryCount
        #expect(UInt64(recovery.entries.count) + missing + dropped == last, "seed \(seed)")
      }
    }
  }

  @Test(arguments: backends) func aFailedSyncIsNeverRetried(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: nil)
    try journal.append(JournalFixture.entry(1))
    fixture.disk.inject(.init(.sync))
    #expect(throws: JournalError.self) { try journal.append(JournalFixture.entry(2), sync: .full) }
    try journal.append(JournalFixture.entry(3), sync: .full)
    #expect(fixture.segments == [1, 2])
    #expect(fixture.disk.log.filter { $0.hasPrefix("sync /logs") }.count == 2)
    fixture.disk.crash()
    #expect(try fixture.recover().payloads == [JournalFixture.entry(3)])
  }

  /// A write that lands in part poisons its segment, one that fails cleanly does not.
  @Test func onlyAPartialWritePoisons() throws {
    let fixture = JournalFixture()
    let journal = try fixture.open(segment: nil)
    try journal.append(JournalFixture.entry(1))
    fixture.disk.inject(.init(.write))
    #expect(throws: JournalError.self) { try journal.append(JournalFixture.entry(2)) }
    try journal.append(JournalFixture.entry(3))
    #expect(fixture.segments == [1])
    fixture.disk.transferLimit = 9
    fixture.disk.inject(.init(.write, at: 2))
    #expect(throws: JournalError.self) { try journal.append(JournalFixture.entry(4)) }
    fixture.disk.transferLimit = .max
    try journal.append(JournalFixture.entry(5))
    #expect(fixture.segments == [1, 2])
    let recovery = try fixture.recover()
    #expect(recovery.payloads == JournalFixture.entries([1, 3, 5]))
    #expect(recovery.sequences == [1, 2, 3])
    #expect(recovery.foundTornEntry && recovery.report.damages == [])
  }

  @Test(arguments: backends) func aFullDiskCostsOnlyWhatDoesNotFit(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 4 << 10)
    fixture.disk.capacity = 10_000
    var acknowledged: [Int] = []
    for number in 1...800 {
      if number == 700 { fixture.disk.capacity = nil }
      if (try? journal.append(JournalFixture.entry(number))) != nil { acknowledged.append(number) }
    }
    #expect(acknowledged.count < 600)
    #expect(acknowledged.suffix(101) == Array(700...800))
    #expect(try fixture.recover().payloads == JournalFixture.entries(acknowledged))
    #expect(try fixture.recover().report.damages == [])
  }

  @Test(arguments: backends) func aJournalBeginsOnAFullDisk(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    fixture.disk.capacity = 0
    let journal = try fixture.open()
    #expect(throws: JournalError.self) { try journal.append([1]) }
    #expect(fixture.segments == [])
    fixture.disk.capacity = nil
    #expect(try journal.append([2]) == 1)
  }
}
