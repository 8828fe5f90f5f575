import JournalKit
import Synchronization
import Testing

@Suite struct BackgroundThreadTests {
  /// Counts its calls, and lets the test wait for them.
  private final class Log: Sendable {
    private let count = Mutex(0)
    let calls: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation

    init() {
      (calls, continuation) = AsyncStream.makeStream()
    }

    func add() -> Int {
      let number = count.withLock { count in
        count += 1
        return count
      }
      continuation.yield(number)
      return number
    }
  }

  @Test func itWorksWhenItIsWoken() async {
    let log = Log()
    let thread = BackgroundThread {
      _ = log.add()
      return nil
    }
    var calls = log.calls.makeAsyncIterator()
    for number in 1...3 {
      thread.wake()
      #expect(await calls.next() == number)
    }
    thread.stop()
  }

  @Test func itGoesOnUntilItNeedNot() async {
    let log = Log()
    let thread = BackgroundThread { log.add() % 4 == 0 ? nil : .milliseconds(1) }
    var calls = log.calls.makeAsyncIterator()
    thread.wake()
    for number in 1...4 { #expect(await calls.next() == number) }
    thread.wake()
    for number in 5...8 { #expect(await calls.next() == number) }
    thread.stop()
  }

  /// Nobody waits for a sleep that takes an hour.
  @Test func itIsWokenEarly() async {
    let log = Log()
    let thread = BackgroundThread {
      _ = log.add()
      return .seconds(3600)
    }
    var calls = log.calls.makeAsyncIterator()
    for number in 1...3 {
      thread.wake()
      #expect(await calls.next() == number)
    }
    thread.stop()
  }

  @Test func workIsDoneOnce() async {
    let log = Log()
    BackgroundThread.run { _ = log.add() }
    var calls = log.calls.makeAsyncIterator()
    #expect(await calls.next() == 1)
  }

  @Test func itEndsWithItsWork() async {
    final class Token: Sendable {
      let continuation: AsyncStream<Void>.Continuation
      init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
      deinit { continuation.finish() }
    }
    let (ends, continuation) = AsyncStream<Void>.makeStream()
    do {
      let token = Token(continuation)
      let thread = BackgroundThread {
        token.continuation.yield()
        return .seconds(3600)
      }
      thread.wake()
      var iterator = ends.makeAsyncIterator()
      await iterator.next()
      thread.stop()
      thread.wake()
    }
    // The stream ends once the thread has let go of its work.
    for await _ in ends {}
  }
}
