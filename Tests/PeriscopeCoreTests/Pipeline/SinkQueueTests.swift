import PeriscopeCore
import TestSupport
import Testing

@Suite struct SinkQueueTests {
  static func record(_ sequence: UInt64, _ level: LogLevel = .info, bytes: Int = 0) -> Record {
    var record = Record(
      id: UniqueID(bits: 1), time: 0, sequence: sequence, session: UniqueID(bits: 1), level: level,
      event: "e", message: String(repeating: "x", count: bytes))
    record.scopes = ["A"]
    return record
  }

  /// What the next delivery brings: the number of those dropped, and the sequences.
  static func delivery(_ queue: inout SinkQueue) -> (Int, [UInt64])? {
    guard case .deliver(let batch)? = queue.next() else { return nil }
    _ = queue.finish()
    return (batch.drops?.count ?? 0, batch.records.map(\.sequence))
  }

  /// Whom the next flush serves; nil when no flush comes next.
  static func flush(_ queue: inout SinkQueue) -> [Int]? {
    guard case .flush? = queue.next() else { return nil }
    return queue.finish()
  }

  static func queue(records: Int = 10, bytes: Int = 1 << 20, factor: Int = 2) -> SinkQueue {
    var limits = SinkQueue.Limits()
    limits.records = records
    limits.bytes = bytes
    limits.protectedFactor = factor
    return SinkQueue(limits: limits)
  }

  @Test func theOldestMakeWayAndAreCounted() throws {
    var queue = Self.queue()
    for number in 1...25 { _ = queue.push(Self.record(UInt64(number)), isProtected: false) }
    guard case .deliver(let batch)? = queue.next() else {
      Issue.record("nothing to deliver")
      return
    }
    #expect(batch.records.map(\.sequence) == Array(16...25))
    #expect(batch.drops.map { [$0.count, Int($0.first), Int($0.last)] } == [15, 1, 15])
    _ = queue.finish()
    // Told once.
    _ = queue.push(Self.record(26), isProtected: false)
    let (dropped, sequences) = try #require(Self.delivery(&queue))
    #expect(dropped == 0 && sequences == [26])
    let more = queue.next()
    #expect(more == nil)
    #expect(queue.isIdle)
  }

  @Test func protectedRecordsStayInTheirPlace() throws {
    var queue = Self.queue(records: 3)
    for number in 1...9 {
      _ = queue.push(Self.record(UInt64(number)), isProtected: number.isMultiple(of: 4))
    }
    let (dropped, sequences) = try #require(Self.delivery(&queue))
    #expect(dropped == 4 && sequences == [4, 6, 7, 8, 9])
  }

  @Test func aSinkThatTakesNothingDoesNotTakeAllMemory() throws {
    var queue = Self.queue(records: 3, factor: 2)
    for number in 1...100 { _ = queue.push(Self.record(UInt64(number)), isProtected: true) }
    #expect(queue.pendingCount == 6)
    let (dropped, sequences) = try #require(Self.delivery(&queue))
    #expect(dropped == 94 && sequences == Array(95...100))
  }

  @Test func bytesAreLimitedToo() throws {
    var queue = Self.queue(records: 1_000, bytes: 100_000)
    for number in 1...200 {
      _ = queue.push(Self.record(UInt64(number), bytes: 5_000), isProtected: false)
    }
    let (dropped, sequences) = try #require(Self.delivery(&queue))
    #expect(dropped + sequences.count == 200)
    #expect(sequences.count < 20 && sequences.count > 15 && sequences.last == 200)
  }

  /// Wherever the bytes are.
  @Test(arguments: 0..<6) func bytesOfAllTextsAreLimited(place: Int) throws {
    var queue = Self.queue(records: 1_000, bytes: 100_000)
    let text = String(repeating: "x", count: 5_000)
    for number in 1...200 as ClosedRange<UInt64> {
      var record = Self.record(number)
      switch place {
      case 0: record.tags = [LogTag("t", .string(text))]
      case 1: record.tags = [LogTag(text, .bool(true))]
      case 2: record.scopes = [text]
      case 3: record.externalID = text
      case 4: record.exitReason = text
      default: record.tags = [LogTag("t", .json("\"" + text + "\""))]
      }
      _ = queue.push(record, isProtected: false)
    }
    let (dropped, sequences) = try #require(Self.delivery(&queue))
    #expect(dropped + sequences.count == 200)
    #expect(sequences.count < 20 && sequences.count > 15)
  }

  @Test func somebodyIsWokenOnceForMuch() {
    var queue = Self.queue()
    var isWoken: Bool
    isWoken = queue.push(Self.record(1), isProtected: false)
    #expect(isWoken)
    isWoken = queue.push(Self.record(2), isProtected: false)
    #expect(!isWoken)
    isWoken = queue.requestFlush(1)
    #expect(!isWoken)
    #expect(Self.delivery(&queue)?.1 == [1, 2])
    isWoken = queue.push(Self.record(3, .error), isProtected: false)
    #expect(!isWoken)
    // What was asked for comes before more records, which may never end.
    #expect(Self.flush(&queue) == [1])
    #expect(Self.delivery(&queue)?.1 == [3])
    #expect(Self.flush(&queue) == [])
    let more = queue.next()
    #expect(more == nil)
    isWoken = queue.push(Self.record(4), isProtected: false)
    #expect(isWoken)
  }

  /// However fast errors come: each delivery is followed by the flush that its errors asked for.
  @Test func aStreamOfErrorsIsFlushed() {
    var queue = Self.queue()
    _ = queue.push(Self.record(1, .error), isProtected: false)
    for number in 2...20 as ClosedRange<UInt64> {
      guard case .deliver? = queue.next() else {
        Issue.record("no delivery")
        return
      }
      _ = queue.push(Self.record(number, LogLevel("alert", severity: 500)), isProtected: false)
      _ = queue.finish()
      #expect(Self.flush(&queue) == [], "\(number)")
    }
  }

  @Test func aFlushWithoutRecordsIsDoneAsWell() {
    var queue = Self.queue()
    let isWoken = queue.requestFlush(7)
    #expect(isWoken)
    #expect(Self.flush(&queue) == [7])
    #expect(queue.isIdle)
  }

  @Test func errorsDuringAFlushGetOneMore() {
    var queue = Self.queue()
    _ = queue.push(Self.record(1, .error), isProtected: false)
    #expect(Self.delivery(&queue)?.1 == [1])
    var flushes = 0
    while case .flush? = queue.next() {
      flushes += 1
      if flushes == 1 {
        for number in 2...5 {
          _ = queue.push(Self.record(UInt64(number), .fault), isProtected: false)
        }
      }
      _ = queue.finish()
      if flushes == 1 { #expect(Self.delivery(&queue)?.1 == [2, 3, 4, 5]) }
    }
    #expect(flushes == 2)
  }

  /// Somebody who waits may do a sink's work himself, while its own thread is at it.
  @Test func oneAtATimeDoesASinksWork() throws {
    var queue = Self.queue()
    _ = queue.push(Self.record(1), isProtected: false)
    _ = queue.requestFlush(1)
    guard case .deliver? = queue.next() else {
      Issue.record("nothing to deliver")
      return
    }
    _ = queue.requestFlush(2)
    let other = queue.next()
    #expect(other.isNone)
    var served = queue.finish()
    #expect(served == [])
    // Who was at it asks again, and serves both.
    guard case .flush? = queue.next() else {
      Issue.record("no flush")
      return
    }
    let another = queue.next()
    #expect(another.isNone)
    served = queue.finish()
    #expect(served == [1, 2])
  }

  @Test func whatIsTooMildTakesNoRoom() throws {
    var limits = SinkQueue.Limits()
    limits.records = 2
    var queue = SinkQueue(limits: limits, minimumSeverity: 500)
    var isWoken = queue.push(Self.record(1, .warning), isProtected: true)
    #expect(!isWoken)
    isWoken = queue.push(Self.record(2, LogLevel("alert", severity: 500)), isProtected: false)
    #expect(isWoken)
    for number in 3...100 { _ = queue.push(Self.record(UInt64(number)), isProtected: false) }
    let (dropped, sequences) = try #require(Self.delivery(&queue))
    #expect(dropped == 0 && sequences == [2])
  }
}

extension SinkQueue.Work? {
  /// Work cannot be compared.
  fileprivate var isNone: Bool {
    if case nil = self { true } else { false }
  }
}
