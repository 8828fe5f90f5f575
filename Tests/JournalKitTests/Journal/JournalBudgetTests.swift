import JournalKit
import TestSupport
import Testing

@Suite struct JournalBudgetTests {
  private let fixture = JournalFixture()
  private var disk: SimulatedDisk { fixture.disk }
  private let budget = 8 << 10

  private var bytes: Int {
    fixture.segments.reduce(0) { $0 + (disk.content(of: fixture.path($1))?.count ?? 0) }
  }

  @Test func theOldestSegmentMakesWay() throws {
    let journal = try fixture.open(budget: budget)
    for number in 1...2000 {
      try journal.append(JournalFixture.entry(number))
      #expect(bytes <= budget)
    }
    #expect(bytes > budget / 2)
    #expect(journal.droppedSegmentCount == Int(fixture.segments[0]) - 1)
    let recovery = try fixture.recover()
    #expect(recovery.droppedOlderEntries && recovery.report.damages == [])
    #expect(recovery.sequences == Array(recovery.report.droppedEntryCount + 1...2000))
  }

  @Test func theDefaultSegmentIsHalfTheBudget() {
    #expect(Journal.Configuration(maximumByteCount: 1 << 20).segmentLimit == 512 << 10)
    #expect(Journal.Configuration().segmentLimit == 16 << 20)
    #expect(Journal.Configuration(maximumByteCount: -1).segmentLimit == 2 << 10)
  }

  @Test func whatCannotBeRemovedStaysInTheAccount() throws {
    let journal = try fixture.open(budget: budget)
    for number in 1...4000 {
      if number % 40 == 0 { disk.inject(.init(.unlink)) }
      try journal.append(JournalFixture.entry(number))
      #expect(bytes <= budget + 1024)
      disk.removeFaults()
    }
    let highest = try #require(fixture.segments.last)
    #expect(journal.droppedSegmentCount == Int(highest) - fixture.segments.count)
  }

  @Test func nothingIsCountedWhileNothingCanBeRemoved() throws {
    let journal = try fixture.open(budget: budget)
    disk.inject(.init(.unlink, repeats: true))
    for number in 1...1000 { try journal.append(JournalFixture.entry(number)) }
    #expect(journal.droppedSegmentCount == 0)
    #expect(bytes > budget)
    disk.removeFaults()
    try journal.rotate()
    #expect(bytes <= budget)
    #expect(journal.droppedSegmentCount > 0)
  }

  @Test func segmentsOfEarlierLivesCount() throws {
    let first = try fixture.open(budget: budget)
    for number in 1...200 { try first.append(JournalFixture.entry(number)) }
    first.close()
    let second = try fixture.open(budget: budget)
    for number in 201...2000 { try second.append(JournalFixture.entry(number)) }
    #expect(bytes <= budget)
    #expect(try fixture.recover().sequences.last == 2000)
  }

  @Test func foldedSegmentsAreNotDropped() throws {
    let journal = try fixture.open(budget: budget)
    for number in 1...100 { try journal.append(JournalFixture.entry(number)) }
    for info in journal.closedSegments() { try disk.unlink(info.path) }
    for number in 101...250 { try journal.append(JournalFixture.entry(number)) }
    #expect(journal.droppedSegmentCount == 0)
  }
}
