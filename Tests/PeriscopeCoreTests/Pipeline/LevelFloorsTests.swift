import PeriscopeCore
import TestSupport
import Testing

@Suite struct LevelFloorsTests {
  let store: PeriscopeStore

  init() throws {
    store = try PeriscopeStoreTests.Machine().open()
  }

  @Test func theNearestScopeDecides() throws {
    let app = store.log("App")
    let photos = app("Photos")
    store.minimumLevel = .warning
    store.setMinimumLevel(.debug, under: photos.scopes[0])
    store.setMinimumLevel(.error, under: photos("Import").scopes[0])
    for log in [app, photos, photos("Import"), photos("Import")(for: 7), app("PhotosToo")] {
      for level in LogLevel.standard { log.log(level, "x") }
    }
    let counts = try store.query("| count by scope").table?.rows ?? []
    #expect(
      Dictionary(uniqueKeysWithValues: counts.map { ($0[0], $0[1]) })
        == [
          .string("App"): .int(3), .string("App/Photos"): .int(6),
          .string("App/Photos/Import"): .int(2),
          .string("App/Photos/Import/7"): .int(2),
          .string("App/PhotosToo"): .int(3),
        ])
  }

  @Test func aFloorIsChangedAndTakenBack() throws {
    let log = store.log("App")("Photos")
    let scope = log.scopes[0]
    store.setMinimumLevel(.error, under: scope)
    #expect(store.minimumLevel(under: scope) == .error)
    #expect(store.minimumLevel(under: ScopeID(root: "App")) == nil)
    log.info("1")
    store.setMinimumLevel(.info, under: scope)
    log.info("2")
    log.debug("3")
    store.setMinimumLevel(nil, under: scope)
    #expect(store.minimumLevel(under: scope) == nil)
    log.debug("4")
    #expect(try store.query("| sort sequence").records.map(\.message) == ["2", "4"])
  }

  @Test func linkedLogsAreHeardWhereOneOfThemIs() throws {
    let (model, ui) = (store.log("Model"), store.log("UI"))
    store.setMinimumLevel(.error, under: ui.scopes[0])
    (model + ui).info("heard")
    (ui + model).info("heard too")
    ui.info("not heard")
    #expect(try store.query("").rowCount == 2)
  }

  @Test func anEventsOwnLevelMeetsTheFloorOfItsScope() throws {
    struct Quiet: LogEvent {
      static let eventName = "quiet"
      var level: LogLevel { .debug }
      var message: String { "psst" }
    }
    store.minimumLevel = .debug
    let log = store.log("App")(Quiet.self)
    store.setMinimumLevel(.info, under: log.scopes[0])
    log(Quiet())
    log { Quiet() }
    #expect(try store.query("").rowCount == 0)
  }

  /// While the last subtree's floor goes, what both the old and the new floors reject must not slip through.
  @Test func nothingSlipsThroughBetweenFloors() throws {
    let (app, other) = (store.log("App"), store.log("Other"))
    store.minimumLevel = .error
    let scope = app.scopes[0]
    let store = store
    runThreads(2) { thread in
      for number in 0..<20_000 {
        if thread == 0 {
          store.setMinimumLevel(number.isMultiple(of: 2) ? .debug : nil, under: scope)
        } else {
          other.info("rejected by all")
        }
      }
    }
    #expect(try store.query("| count").table?.rows == [[.int(0)]])
  }

  /// Who asks while floors change meets the old ones or the new ones, and never what is gone.
  @Test func floorsChangeWhileOthersLog() throws {
    let log = store.log("App")("Photos")
    let scope = log.scopes[0]
    let store = store
    runThreads(4) { thread in
      for number in 0..<2_000 {
        if thread == 0 {
          let level = LogLevel.standard[number % 5]
          store.setMinimumLevel(number.isMultiple(of: 7) ? nil : level, under: scope)
        } else {
          log.fault("always")
          log.debug("now and then")
        }
        guard number < 50 || thread == 0 else { return }
      }
    }
    #expect(try store.query("always | count").table?.rows == [[.int(153)]])
  }
}
