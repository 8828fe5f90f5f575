import JournalKit
import PeriscopeCore
import Synchronization
import Testing

@Suite struct AmbientPollerTests {
  struct Counted: AmbientEvent, Equatable {
    static let eventName = "counted"
    static let ambientKind = "count"
    var number: Int
    var message: String { "\(number)" }
    var ambientState: String? { "\(number)" }
  }

  /// A probe that counts how often it is asked, and tells of each time.
  private func counter(_ interval: Duration) -> AmbientProbe {
    AmbientProbe(every: interval) { (last: Counted?) in Counted(number: (last?.number ?? 0) + 1) }
  }

  private let surroundings = Surroundings()
  private let reports = Reports()

  private func poller(_ probes: AmbientProbe...) -> AmbientPoller {
    AmbientPoller(probes, environment: surroundings.environment)
  }

  private func numbers() -> [Int] {
    reports.take().compactMap { ($0 as? Counted)?.number }
  }

  @Test func everyProbeIsAskedAtItsOwnPace() throws {
    let poller = poller(counter(.seconds(5)), counter(.seconds(15)))
    try poller.start(reports.add)
    #expect(surroundings.tick() == [.seconds(5)])
    #expect(numbers() == [1, 1])
    #expect(surroundings.tick(after: .seconds(4)) == [.seconds(1)])
    #expect(numbers() == [])
    #expect(surroundings.tick(after: .seconds(1)) == [.seconds(5)])
    #expect(numbers() == [2])
    surroundings.tick(after: .seconds(5))
    #expect(numbers() == [3])
    surroundings.tick(after: .seconds(5))
    #expect(numbers() == [4, 2])
  }

  @Test func allProbesShareOneWorker() throws {
    let poller = poller(counter(.seconds(1)), counter(.seconds(2)), counter(.seconds(3)))
    try poller.start(reports.add)
    #expect(surroundings.workerCount == 1)
  }

  @Test func nothingIsReportedThatIsNotNew() throws {
    let poller = poller(AmbientProbe(every: .seconds(1)) { (_: Counted?) in nil })
    try poller.start(reports.add)
    for _ in 0..<5 { surroundings.tick(after: .seconds(1)) }
    #expect(numbers() == [])
  }

  @Test func aClockThatIsSetBackKeepsNobodyWaiting() throws {
    let poller = poller(counter(.seconds(5)))
    try poller.start(reports.add)
    surroundings.tick()
    surroundings.now.withLock { $0 -= 3_600_000_000_000 }
    surroundings.tick()
    #expect(numbers() == [1, 2])
  }

  @Test func afterAStopThereIsSilence() throws {
    let poller = poller(counter(.seconds(1)))
    try poller.start(reports.add)
    surroundings.tick()
    poller.stop()
    poller.stop()
    #expect(surroundings.workerCount == 0)
    surroundings.tick(after: .seconds(10))
    #expect(numbers() == [1])
  }

  @Test func aStopWhileAProbeIsAskedIsHeard() throws {
    let stop = Mutex<(@Sendable () -> Void)?>(nil)
    let poller = poller(
      AmbientProbe(every: .seconds(1)) { (_: Counted?) in
        stop.withLock { $0 }?()
        return Counted(number: 7)
      })
    stop.withLock { $0 = { poller.stop() } }
    try poller.start(reports.add)
    surroundings.tick()
    #expect(numbers() == [])
    stop.withLock { $0 = nil }
  }

  @Test func whoIsStartedCannotBeStarted() throws {
    let poller = poller(counter(.seconds(1)))
    try poller.start(reports.add)
    #expect(throws: AmbientError.alreadyStarted) { try poller.start(reports.add) }
    poller.stop()
    // A new start begins from nothing.
    try poller.start(reports.add)
    surroundings.tick()
    #expect(numbers() == [1])
  }

  @Test func whoIsForgottenStops() throws {
    do { try poller(counter(.seconds(1))).start(reports.add) }
    #expect(surroundings.workerCount == 0)
  }

  @Test func noProbeIsAskedAllTheTime() throws {
    let poller = poller(counter(.zero), counter(.seconds(-1)))
    try poller.start(reports.add)
    #expect(surroundings.tick() == [.milliseconds(100)])
  }
}
