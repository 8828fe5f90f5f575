import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// What is missing is noted once, and whatever is missing is noted.
@Suite struct GapTests {
  private let fixture = StoreFixture()
  private var disk: SimulatedDisk { fixture.disk }

  private func writeJournal(_ texts: [String]) throws {
    let journal = try fixture.journal()
    for text in texts { try journal.append(Array(text.utf8)) }
    journal.close()
  }

  /// A session that is continued has a new journal, whose files are called the same.
  @Test func aSecondJournalOfASessionHasGapsOfItsOwn() throws {
    let store = try fixture.open()
    for round in 1...2 {
      try writeJournal(["\(round)", "nonsense"])
      _ = try fixture.fold(store)
      #expect(try store.snapshot().gaps.map(\.missing) == Array(repeating: 1, count: round))
      #expect(fixture.files("quarantine").count == round)
    }
    let gaps = try fixture.open().snapshot().gaps
    #expect(Set(gaps.map(\.file)).count == 1 && Set(gaps.map(\.journal)).count == 2)
    // What the others lack does not make it evidence.
    try writeJournal(["3"])
    _ = try fixture.fold(store)
    #expect(fixture.files("quarantine").count == 2)
    #expect(try fixture.numbers(store.snapshot()) == [1, 2, 3])
  }

  @Test func aSecondLossToTheBudgetIsNoted() throws {
    let store = try fixture.open()
    for round in 1...2 {
      let journal = try Journal(
        directory: StoreFixture.journalDirectory(),
        configuration: Journal.Configuration(maximumByteCount: 4 << 10, segmentByteCount: 1 << 10),
        environment: JournalEnvironment(simulated: disk, clock: WallClock { 5 }))
      for number in 1...200 { try journal.append(StoreFixture.entry(round * 1000 + number)) }
      journal.close()
      let report = try fixture.fold(store)
      let lost = 200 - UInt64(report.recordCount)
      #expect(lost > 0 && report.gaps.map(\.missing) == [lost])
      #expect(try store.snapshot().gaps.count == round)
    }
  }

  /// A fold that died after its commit finds the same again.
  @Test func whatIsFoundAgainIsNotedOnce() throws {
    try writeJournal(["1", "nonsense"])
    let old = disk.copy()
    _ = try fixture.fold(try fixture.open())
    let path = "\(StoreFixture.journalDirectory())/0000000000000001.jseg"
    disk.setContent(of: path, to: try #require(old.content(of: path)))
    _ = try fixture.fold(try fixture.open())
    #expect(try fixture.open().snapshot().gaps.map(\.missing) == [1])
    #expect(fixture.files("quarantine").count == 2)
  }

  // MARK: - Many

  private func gap(_ number: Int, missing: UInt64? = 2, times: ClosedRange<Int64>? = nil) -> Gap {
    Gap(
      file: "journals/a/\(number)", offset: 7, cause: .damagedJournal, missing: missing,
      timeRange: times)
  }

  @Test func theLastOfManyStandsForTheRest() {
    let gaps = (1...10).map { gap($0, times: Int64($0)...Int64($0) + 5) }
    #expect(gaps.condensed(to: 10) == gaps)
    #expect(gaps.condensed() == gaps)
    #expect(gaps.condensed(to: 4) == gaps[..<3] + [gap(4, missing: 14, times: 4...15)])
    #expect(gaps.condensed(to: 1) == [gap(1, missing: 20, times: 1...15)])
    #expect([Gap]().condensed() == [])
  }

  @Test func whatIsNotKnownOfOneIsNotKnownOfAll() {
    let first = gap(1, times: 1...1)
    #expect([first, gap(2, missing: nil, times: 2...2)].condensed(to: 1).map(\.missing) == [nil])
    #expect([first, gap(2)].condensed(to: 1) == [gap(1, missing: 4)])
    #expect([first, gap(2, missing: .max)].condensed(to: 1).map(\.missing) == [nil])
  }
}
