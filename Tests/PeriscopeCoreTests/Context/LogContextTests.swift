import JournalKit
import PeriscopeCore
import TestSupport
import Testing

@Suite struct LogContextTests {
  let store: PeriscopeStore
  var app: Log<Message> { store.log("App") }

  init() throws {
    store = try PeriscopeStoreTests.Machine().open()
  }

  private func currentPath() -> String? { Log.current?.scopes.first?.path }

  @Test func outsideOfAnyThereIsNone() {
    #expect(Log.current == nil)
  }

  @Test func contextsNestAndEnd() {
    app.withContext {
      #expect(currentPath() == "App")
      app("Photos").withContext { #expect(currentPath() == "App/Photos") }
      #expect(currentPath() == "App")
    }
    #expect(Log.current == nil)
  }

  @Test func aContextEndsWithAnError() {
    struct Broken: Error {}
    #expect(throws: Broken.self) { try app.withContext { throw Broken() } }
    #expect(Log.current == nil)
  }

  @Test func whatBodyReturnsIsReturned() async {
    #expect(app.withContext { 7 } == 7)
    #expect(
      await app.withContext {
        await Task.yield(); return 8
      } == 8)
  }

  @Test func tagsAndLinksComeAlong() throws {
    let log = app.tagged("user", 7) + store.log("Screen")
    log.withContext { Log.current?.info("here") }
    let record = try #require(try store.query("").records.first)
    #expect(record.scopes == ["App", "Screen"])
    #expect(record.tags == [LogTag("user", .int(7))])
  }

  @Test func aTypedLogSetsOneForMessages() {
    store.log(PeriscopeStoreTests.Imported.self).withContext {
      #expect(currentPath() == "Imported")
    }
  }

  @Test func childTasksInheritIt() async {
    await app("Request").withContext {
      async let child = currentPath()
      #expect(await child == "App/Request")
      await withTaskGroup(of: String?.self) { group in
        for _ in 0..<3 { group.addTask { Log.current?.scopes.first?.path } }
        for await path in group { #expect(path == "App/Request") }
      }
      #expect(await Task { Log.current?.scopes.first?.path }.value == "App/Request")
    }
  }

  @Test func othersGetItByHand() async {
    await app.withContext {
      #expect(await Task.detached { Log.current == nil }.value)
      let carried = Log.current
      let path = await Task.detached {
        carried?.withContext { Log.current?.scopes.first?.path }
      }.value
      #expect(path == "App")
    }
  }

  @Test func itStaysWithItsTaskAcrossSuspensions() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<20 {
        let log = app(for: number)
        group.addTask {
          await log.withContext {
            for _ in 0..<20 {
              await Task.yield()
              guard Log.current?.scopes == log.scopes else { return false }
            }
            return true
          }
        }
      }
      for await isKept in group { #expect(isKept) }
    }
  }

  @MainActor private final class Screen {
    var count = 0

    func work(_ log: Log<Message>) async {
      // Touches isolated state: the body must run where its caller does.
      await log.withContext {
        count += 1
        await Task.yield()
        count += 1
      }
    }
  }

  @Test func theBodyRunsWhereItsCallerDoes() async {
    let screen = Screen()
    await screen.work(app)
    let count = await screen.count
    #expect(count == 2)
  }
}
