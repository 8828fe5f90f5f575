import JournalKit
import Synchronization
import TestSupport
import Testing

/// What several threads that want their entries on stable storage share.
@Suite struct JournalFlushTests {
  private let fixture = JournalFixture()
  private var disk: SimulatedDisk { fixture.disk }

  private func count(_ prefix: String) -> Int {
    disk.log.count { $0.hasPrefix(prefix) }
  }

  /// Four threads append with `.full`: one begins, and its flush takes until the other three have written. Returns
  /// the numbers of those whose append succeeded.
  private func appendFromFourThreads(to journal: Journal) -> Set<Int> {
    let disk = disk
    let writes = count("write") + 5
    let isFlushing = Atomic(false)
    disk.beforeNextSync {
      isFlushing.store(true, ordering: .releasing)
      let deadline = ContinuousClock.now + .seconds(600)
      while disk.log.count(where: { $0.hasPrefix("write") }) < writes {
        if ContinuousClock.now > deadline {
          Issue.record("the other threads are held up by the flush")
          return
        }
      }
    }
    let acknowledged = Mutex<Set<Int>>([])
    runThreads(4) { number in
      while number > 0 && !isFlushing.load(ordering: .acquiring) {}
      if (try? journal.append(JournalFixture.entry(number), sync: .full)) != nil {
        acknowledged.withLock { _ = $0.insert(number) }
      }
    }
    return acknowledged.withLock { $0 }
  }

  @Test func flushesAreShared() throws {
    let journal = try fixture.open(segment: nil)
    #expect(appendFromFourThreads(to: journal) == [0, 1, 2, 3])
    #expect(count("sync /") == 2)
    disk.crash()
    #expect(Set(try fixture.recover().payloads) == Set(JournalFixture.entries(0..<4)))
  }

  /// Whatever was in the file when its flush failed was never promised; a later flush of it proves nothing.
  @Test func aFailedFlushFailsForAllInTheFile() throws {
    let journal = try fixture.open(segment: nil)
    disk.inject(.init(.sync))
    #expect(appendFromFourThreads(to: journal) == [])
    #expect(count("sync /") == 1)
    try journal.append(JournalFixture.entry(9), sync: .full)
    #expect(fixture.segments == [1, 2])
    disk.crash()
    #expect(try fixture.recover().payloads == [JournalFixture.entry(9)])
  }

  @Test func segmentsEndWhileTheyAreFlushed() throws {
    let journal = try fixture.open()
    disk.beforeNextSync {
      for number in 1..<80 { _ = try? journal.append(JournalFixture.entry(number)) }
    }
    try journal.append(JournalFixture.entry(0), sync: .full)
    #expect(fixture.segments.count > 1)
    // The lock and the segment that grows.
    #expect(disk.openFileCount == 2)
    #expect(try fixture.recover().payloads == JournalFixture.entries(0..<80))
    #expect(try fixture.recover().report.damages == [])
    disk.crash()
    #expect(try fixture.recover().payloads.first == JournalFixture.entry(0))
  }

  @Test func theJournalIsClosedWhileItIsFlushed() throws {
    let journal = try fixture.open()
    disk.beforeNextSync { journal.close() }
    try journal.append(JournalFixture.entry(0), sync: .full)
    #expect(disk.openFileCount == 0)
    disk.crash()
    #expect(try fixture.recover().payloads == [JournalFixture.entry(0)])
  }

  /// An entry that waits for its flush keeps its file open, even when the segment ends before.
  @Test func aRequestOutlivesItsSegment() throws {
    let journal = try fixture.open()
    let disk = disk
    let isWaiting = Atomic(false)
    disk.beforeNextSync {
      // Another thread's entry comes now, and then the segment ends: the next flush has an old file to do.
      isWaiting.store(true, ordering: .releasing)
      let deadline = ContinuousClock.now + .seconds(600)
      while disk.log.count(where: { $0.hasPrefix("write") }) < 3 && ContinuousClock.now < deadline {
      }
      for number in 2..<80 { _ = try? journal.append(JournalFixture.entry(number)) }
    }
    runThreads(2) { number in
      while number == 1 && !isWaiting.load(ordering: .acquiring) {}
      _ = try? journal.append(JournalFixture.entry(number), sync: .full)
    }
    #expect(disk.openFileCount == 2)
    #expect(count("sync /") == 2)
    disk.crash()
    #expect(try fixture.recover().payloads.prefix(2) == JournalFixture.entries(0..<2)[...])
  }

  /// A file ends while its flush is under way and fails: an entry in it that waits for the next flush, which the
  /// operating system would let succeed, was not promised either.
  @Test func aFlushThatFailsFailsForTheNextOneToo() throws {
    let journal = try fixture.open()
    let disk = disk
    let isWaiting = Atomic(false)
    disk.inject(.init(.sync))
    disk.beforeNextSync {
      isWaiting.store(true, ordering: .releasing)
      let deadline = ContinuousClock.now + .seconds(600)
      while disk.log.count(where: { $0.hasPrefix("write") }) < 3 && ContinuousClock.now < deadline {
      }
      for number in 2..<80 { _ = try? journal.append(JournalFixture.entry(number)) }
    }
    let acknowledged = Mutex<Set<Int>>([])
    runThreads(2) { number in
      while number == 1 && !isWaiting.load(ordering: .acquiring) {}
      if (try? journal.append(JournalFixture.entry(number), sync: .full)) != nil {
        acknowledged.withLock { _ = $0.insert(number) }
      }
    }
    #expect(fixture.segments.count > 1)
    #expect(acknowledged.withLock { $0 } == [])
    #expect(disk.openFileCount == 2)
    // The segment that came after is sound.
    try journal.append(JournalFixture.entry(99), sync: .full)
    disk.crash()
    #expect(try fixture.recover().payloads.last == JournalFixture.entry(99))
  }
}
