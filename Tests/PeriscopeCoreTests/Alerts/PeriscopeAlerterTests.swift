import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

@Suite struct PeriscopeAlerterTests {
  private let store: PeriscopeStore

  init() throws {
    let environment = JournalEnvironment(simulated: SimulatedDisk()).withInlineWorkers()
    store = try PeriscopeStore.make(
      storage: .directory("/store"), session: .current(app: "Test", environment: environment),
      environment: environment)
  }

  /// What a handler was called with.
  private final class Alerts: Sendable {
    private let records = Mutex<[Record]>([])
    var messages: [String] { records.withLock { $0.map(\.message) } }
    func add(_ record: Record) { records.withLock { $0.append(record) } }
  }

  @Test func whatReachesTheThresholdAlerts() throws {
    let alerts = Alerts()
    let log = store.log("App")
    log.error("before")
    let alerter = PeriscopeAlerter(store, threshold: .error) { alerts.add($0) }
    log.warning("quiet")
    log.error("loud")
    log.fault("louder")
    log.log(LogLevel("alarm", severity: LogLevel.error.severity + 1), "own")
    #expect(alerts.messages == ["loud", "louder", "own"])
    withExtendedLifetime(alerter) {}
  }

  @Test func anAlertThatLogsDoesNotAlert() throws {
    let alerts = Alerts()
    let log = store.log("App")
    let alerter = PeriscopeAlerter(store) { record in
      alerts.add(record)
      log.error("the alert for \(record.message) failed")
    }
    log.error("first")
    log.error("second")
    #expect(alerts.messages == ["first", "second"])
    #expect(try store.query("failed").rowCount == 2)
    withExtendedLifetime(alerter) {}
  }

  @Test func whoIsStoppedIsSilent() async throws {
    let alerts = Alerts()
    let alerter = PeriscopeAlerter(store) { alerts.add($0) }
    store.log("App").error("heard")
    alerter.stop()
    alerter.stop()
    store.log("App").error("not heard")
    await store.flush()
    #expect(alerts.messages == ["heard"])
  }

  @Test func whoIsForgottenIsStopped() async throws {
    let alerts = Alerts()
    do { _ = PeriscopeAlerter(store) { alerts.add($0) } }
    store.log("App").error("not heard")
    await store.flush()
    #expect(alerts.messages == [])
  }

  @Test func severalWatchAtOnce() throws {
    let (pages, lines) = (Alerts(), Alerts())
    let alerters = [
      PeriscopeAlerter(store, threshold: .fault) { pages.add($0) },
      PeriscopeAlerter(store, threshold: .warning) { lines.add($0) },
    ]
    store.log("App").warning("1")
    store.log("App").fault("2")
    #expect(pages.messages == ["2"])
    #expect(lines.messages == ["1", "2"])
    withExtendedLifetime(alerters) {}
  }

  /// What a level is called does not matter.
  @Test func levelsOfTheProgramsOwnAlertBySeverity() {
    let alerts = Alerts()
    let alerter = PeriscopeAlerter(store, threshold: .error) { alerts.add($0) }
    store.log("App").log(LogLevel("alert", severity: 500), "alert")
    store.log("App").log(LogLevel("zebra", severity: 499), "zebra")
    #expect(alerts.messages == ["alert"])
    withExtendedLifetime(alerter) {}
  }

  /// However much else is logged while the handler is busy.
  @Test func noAlertMakesWayForOtherRecords() throws {
    let workers = ManualWorkers()
    var limits = SinkQueue.Limits()
    limits.records = 10
    let store = try PeriscopeStoreTests.Machine(worker: workers.make).open(sinkLimits: limits)
    let alerts = Alerts()
    let alerter = PeriscopeAlerter(store) { alerts.add($0) }
    let log = store.log("App")
    log.error("alert")
    for number in 1...1_000 { log.warning("\(number)") }
    workers.run()
    #expect(alerts.messages == ["alert"])
    // Too many alerts are told of, though that is only a warning.
    for number in 1...12 { log.error("\(number)") }
    workers.run()
    #expect(
      alerts.messages == ["alert", "2 records were dropped because a sink was too slow"]
        + (3...12).map(String.init))
    withExtendedLifetime(alerter) {}
  }
}
