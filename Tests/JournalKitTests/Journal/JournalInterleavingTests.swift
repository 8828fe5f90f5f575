import JournalKit
import Synchronization
import TestSupport
import Testing

/// Reading a journal while it is written, with the writer's work between any two calls of the reading.
///
/// A fold believes a reading: what it says was the last entry, is never asked for again.
@Suite struct JournalInterleavingTests {
  typealias Backend = Journal.Configuration.Backend
  private static let backends: [Backend] = [.written, .mapped]
  /// Entries that are there before: two segments and a bit.
  private static let count = 45

  /// What a reading said and handed out.
  private struct Reading {
    var sequences: [UInt64] = []
    var report = JournalRecoveryReport()
  }

  private func read(
    _ fixture: JournalFixture, closedOnly: Bool, after sequence: UInt64 = 0
  ) -> Reading {
    var reading = Reading()
    reading.report = JournalRecovery.scan(
      directory: JournalFixture.directory, fileSystem: fixture.disk, after: sequence,
      closedOnly: closedOnly
    ) { entry in
      if entry.kind == .entry { reading.sequences.append(entry.sequence) }
    }
    return reading
  }

  /// `reading` lacks none of the entries up to what it calls the last, and none of the `acknowledged` when it was to
  /// read all.
  private func check(
    _ reading: Reading, closedOnly: Bool, acknowledged: UInt64, _ comment: Comment,
    location: SourceLocation = #_sourceLocation
  ) {
    #expect(reading.report.damages == [], comment, sourceLocation: location)
    let dropped = reading.report.droppedEntryCount
    let expected = reading.sequences.indices.map { UInt64($0) + 1 + dropped }
    #expect(reading.sequences == expected, comment, sourceLocation: location)
    #expect(
      reading.report.lastSequence == dropped + UInt64(reading.sequences.count), comment,
      sourceLocation: location)
    if !closedOnly {
      #expect(reading.report.lastSequence >= acknowledged, comment, sourceLocation: location)
    }
  }

  /// A journal of a few segments, the last of them begun.
  private func begin(_ backend: Backend, budget: Int = 1 << 20) throws -> (JournalFixture, Journal)
  {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(budget: budget)
    for number in 1...Self.count { try journal.append(JournalFixture.entry(number)) }
    return (fixture, journal)
  }

  /// Appends an entry, or as many as fill `rotations` segments.
  private static func write(_ journal: Journal, rotations: Int) {
    _ = try? journal.append(entry(7), sync: .full)
    for _ in 0..<rotations {
      try? journal.rotate()
      for number in 1...3 { _ = try? journal.append(entry(number)) }
    }
  }

  private static func entry(_ number: Int) -> [UInt8] { JournalFixture.entry(number) }

  @Test(arguments: backends, [false, true])
  func theWriterGoesOnAtEveryCall(backend: Backend, closedOnly: Bool) throws {
    for rotations in [0, 2] {
      var call = 1
      var isWithin = true
      while isWithin {
        let (fixture, journal) = try begin(backend)
        fixture.disk.beforeCall(call) { Self.write(journal, rotations: rotations) }
        let calls = fixture.disk.callCount
        let reading = read(fixture, closedOnly: closedOnly)
        isWithin = fixture.disk.callCount - calls >= call
        fixture.disk.removeHooks()
        let comment: Comment = "call \(call), \(rotations) rotations"
        check(reading, closedOnly: closedOnly, acknowledged: UInt64(Self.count), comment)
        // What comes next begins behind the last: together they lack nothing.
        journal.close()
        let rest = read(fixture, closedOnly: false, after: reading.report.lastSequence)
        #expect(reading.sequences + rest.sequences == (try fixture.recover().sequences), comment)
        #expect(rest.report.damages == [], comment)
        call += 1
      }
    }
  }

  /// The budget takes segments while they are being read.
  @Test(arguments: backends, [false, true])
  func theBudgetDropsAtEveryCall(backend: Backend, closedOnly: Bool) throws {
    let budget = backend == .mapped ? 48 << 10 : 8 << 10
    var call = 1
    var isWithin = true
    while isWithin {
      let (fixture, journal) = try begin(backend, budget: budget)
      fixture.disk.beforeCall(call) {
        for number in 1...200 { _ = try? journal.append(Self.entry(number)) }
      }
      let calls = fixture.disk.callCount
      let reading = read(fixture, closedOnly: closedOnly)
      isWithin = fixture.disk.callCount - calls >= call
      fixture.disk.removeHooks()
      #expect(reading.report.damages == [], "call \(call)")
      #expect(
        reading.report.lastSequence
          == reading.report.droppedEntryCount + UInt64(reading.sequences.count), "call \(call)")
      call += 1
    }
  }

  /// A listing that is under way has some of the names that come meanwhile, and any others not.
  @Test(arguments: backends, [false, true])
  func aListingIsNoPictureOfOneMoment(backend: Backend, closedOnly: Bool) throws {
    // A bit for each segment that is there at the end.
    for late in stride(from: 0, to: 32, by: 2) {
      let (fixture, journal) = try begin(backend)
      fixture.disk.duringNextList(late: { name in
        late >> (JournalFormat.segmentNumber(ofFile: name) ?? 0) & 1 == 1
      }) {
        Self.write(journal, rotations: 2)
      }
      let reading = read(fixture, closedOnly: closedOnly)
      #expect(fixture.segments == [1, 2, 3, 4])
      check(reading, closedOnly: closedOnly, acknowledged: 0, "names \(late)")
    }
  }

  /// Also of a journal whose first file appears during it.
  @Test func aListingMayLackTheFirstFile() throws {
    let fixture = JournalFixture()
    let journal = try fixture.open()
    let first = JournalFormat.fileName(ofSegment: 1)
    fixture.disk.duringNextList(late: { $0 != first }) { Self.write(journal, rotations: 2) }
    let reading = read(fixture, closedOnly: true)
    #expect(reading.report.droppedEntryCount == 0)
    #expect(reading.sequences == [1, 2, 3, 4])
  }

  /// A file that somebody put there does not make the growing one a closed one.
  @Test func onlyASegmentOfThisJournalIsTheNewest() throws {
    let (fixture, journal) = try begin(.written)
    let last = try #require(fixture.segments.last)
    let closed = read(fixture, closedOnly: true)
    #expect(closed.report.lastSequence < Self.count)
    let other = JournalFixture()
    // A journal of another identity.
    let stranger = try Journal(
      directory: JournalFixture.directory,
      environment: JournalEnvironment(simulated: other.disk, random: { 5 }))
    for _ in 0..<100 {
      try stranger.append([1])
      try stranger.rotate()
    }
    let foreign = try #require(other.disk.content(of: other.path(90)))
    let own = try #require(fixture.disk.content(of: fixture.path(last)))
    for content in [[], [1, 2, 3], [UInt8](repeating: 0, count: 5000), own, foreign] {
      fixture.disk.setContent(of: fixture.path(90), to: content)
      let reading = read(fixture, closedOnly: true)
      #expect(reading.sequences == closed.sequences)
      #expect(reading.report.lastSequence == closed.report.lastSequence)
      #expect(!reading.report.segments.contains { $0.info.number >= last })
    }
    journal.close()
  }
}
