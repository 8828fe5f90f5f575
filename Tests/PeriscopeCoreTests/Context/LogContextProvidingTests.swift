import JournalKit
import PeriscopeCore
import TestSupport
import Testing

@Suite struct LogContextProvidingTests {
  final class Player: LogContextProviding, Sendable {
    let parentLog: Log<Message>

    init(_ parent: Log<Message>) {
      parentLog = parent
    }
  }

  final class Renamed: LogContextProviding {
    static let logName = "Till"
    let parentLog: Log<Message>

    init(_ parent: Log<Message>) {
      parentLog = parent
    }
  }

  /// Logs when it dies. The registry is the test's own: nobody else's instances make it forget one meanwhile.
  final class Mortal {
    let instances: LogInstances
    let parent: Log<Message>

    init(_ parent: Log<Message>, _ instances: LogInstances, logsAlive: Bool) {
      self.parent = parent
      self.instances = instances
      if logsAlive { log.info("born") }
    }

    var log: Log<Message> { instances.log(of: self) { parent(for: $0) } }

    deinit { log.info("dying") }
  }

  /// An instance like any other to the registry.
  private final class Thing {}

  let app: Log<Message>
  let store: PeriscopeStore

  init() throws {
    store = try PeriscopeStoreTests.Machine().open()
    app = store.log("App")
  }

  @Test func anInstanceHasOneLogOfItsOwn() {
    let (left, right) = (Player(app), Player(app))
    #expect(left.log.scopes == left.log.scopes)
    #expect(left.log.scopes != right.log.scopes)
    let path = left.log.scopes[0].path
    #expect(path.hasPrefix("App/Player/"))
    #expect(path.dropFirst("App/Player/".count).allSatisfy { $0.isNumber })
  }

  @Test func aClassMayNameItself() {
    #expect(Renamed(app).log.scopes[0].path.hasPrefix("App/Till/"))
  }

  @Test func tagsAndLinksOfTheParentCount() {
    let player = Player(app.tagged("room", "kitchen") + store.log("Screen"))
    #expect(player.log.tags == [LogTag("room", .string("kitchen"))])
    #expect(player.log.scopes.map(\.path).last == "Screen")
  }

  @Test func instancesNestUnderInstances() {
    let outer = Player(app)
    let inner = Renamed(outer.log)
    #expect(inner.log.scopes[0].path.hasPrefix(outer.log.scopes[0].path + "/Till/"))
  }

  @Test func anInstanceNestsUnderTheContextInWhichItFirstLogs() {
    final class Loader: LogContextProviding {
      let fallback: Log<Message>
      var parentLog: Log<Message> { Log.current ?? fallback }
      init(_ fallback: Log<Message>) { self.fallback = fallback }
    }
    let (inside, outside) = (Loader(app), Loader(app))
    app("Request").withContext {
      #expect(inside.log.scopes[0].path.hasPrefix("App/Request/Loader/"))
    }
    #expect(outside.log.scopes[0].path.hasPrefix("App/Loader/"))
    // Whatever it is called from later.
    #expect(inside.log.scopes[0].path.hasPrefix("App/Request/Loader/"))
  }

  /// The heart of it: many instances at few addresses, and never the same log twice.
  @Test func aRecycledAddressInheritsNothing() {
    let instances = LogInstances()
    var paths: Set<String> = []
    var addresses: Set<ObjectIdentifier> = []
    for _ in 0..<5_000 {
      let thing = Thing()
      let log = instances.log(of: thing) { app(for: $0) }
      #expect(paths.insert(log.scopes[0].path).inserted)
      #expect(instances.log(of: thing) { app(for: $0) }.scopes == log.scopes)
      addresses.insert(ObjectIdentifier(thing))
    }
    // Else nothing was proven.
    #expect(addresses.count < 2_500)
  }

  @Test func anAddressIsNotGivenAwayWhileItIsKnown() {
    let instances = LogInstances()
    var addresses: [ObjectIdentifier] = []
    for _ in 0..<LogInstances.minimumLimit {
      let thing = Thing()
      _ = instances.log(of: thing) { app(for: $0) }
      addresses.append(ObjectIdentifier(thing))
    }
    #expect(instances.count == LogInstances.minimumLimit)
    #expect(Set(addresses).count == LogInstances.minimumLimit)
  }

  @Test func theDeadAreForgotten() {
    let instances = LogInstances()
    let living = (0..<10).map { _ in Thing() }
    let logs = living.map { instances.log(of: $0) { app(for: $0) }.scopes }
    for _ in 0..<10_000 {
      _ = instances.log(of: Thing()) { app(for: $0) }
      #expect(instances.count <= LogInstances.minimumLimit + 1)
    }
    #expect(living.map { instances.log(of: $0) { app(for: $0) }.scopes } == logs)
  }

  @Test func thereAreAtMostTwiceAsManyAsLived() {
    let instances = LogInstances()
    var living = (0..<1_000).map { _ in Thing() }
    for thing in living { _ = instances.log(of: thing) { app(for: $0) } }
    living = []
    for _ in 0..<5_000 { _ = instances.log(of: Thing()) { app(for: $0) } }
    #expect(instances.count <= LogInstances.minimumLimit + 1)
  }

  @Test func aDyingInstanceIsStillItself() throws {
    do { _ = Mortal(app, LogInstances(), logsAlive: true) }
    let scopes = try store.query("| sort sequence").records.map(\.scopes)
    #expect(scopes.count == 2)
    #expect(scopes[0] == scopes[1])
  }

  @Test func whoFirstLogsWhenDyingInheritsNothing() throws {
    let instances = LogInstances()
    for _ in 0..<200 { _ = Mortal(app, instances, logsAlive: false) }
    for _ in 0..<200 { _ = Mortal(app, instances, logsAlive: true) }
    let records = try store.query("| sort sequence | limit 1000").records
    let byPath = Dictionary(grouping: records, by: { $0.scopes[0] })
    #expect(records.count == 600)
    // 200 that said one thing, and 200 that said two.
    #expect(byPath.count == 400)
    for said in byPath.values {
      #expect(["dying", "born dying"].contains(said.map(\.message).joined(separator: " ")))
    }
  }

  @Test func threadsAgreeOnALog() async {
    let instances = LogInstances()
    let app = app
    for _ in 0..<50 {
      let player = Player(app)
      let paths = await withTaskGroup(of: [ScopeID].self) { group in
        for _ in 0..<4 {
          group.addTask { instances.log(of: player) { app(for: $0) }.scopes }
        }
        return await group.reduce(into: Set<[ScopeID]>()) { $0.insert($1) }
      }
      #expect(paths.count == 1)
    }
  }

  @Test func instancesMayDieWhileOthersAreLookedUp() async {
    let app = app
    let total = 4_000
    let paths = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask { (0..<total / 4).map { _ in Player(app).log.scopes[0].path } }
      }
      return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(paths.count == total)
  }
}
