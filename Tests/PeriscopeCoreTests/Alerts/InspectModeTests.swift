import PeriscopeCore
import Testing

@Suite struct InspectModeTests {
  private let store: PeriscopeStore

  init() throws {
    store = try PeriscopeStoreTests.Machine().open()
  }

  @Test func nobodyLooksAtFirst() {
    #expect(!store.isInspecting)
    store.isInspecting = true
    #expect(store.isInspecting)
  }

  @Test func changesBeginWithWhatIs() async {
    store.isInspecting = true
    var changes = store.inspectChanges().makeAsyncIterator()
    #expect(await changes.next() == true)
    store.isInspecting = false
    #expect(await changes.next() == false)
  }

  @Test func whoIsSlowGetsTheNewest() async {
    var changes = store.inspectChanges().makeAsyncIterator()
    for _ in 0..<7 { store.isInspecting.toggle() }
    #expect(await changes.next() == true)
    store.isInspecting = true
    // Nothing changed: the next value is that of the next change.
    store.isInspecting = false
    #expect(await changes.next() == false)
  }

  @Test func everyReaderGetsTheEnd() async {
    let store = store
    let readers = (0..<4).map { _ in store.inspectChanges() }
    await withTaskGroup(of: Bool.self) { group in
      for reader in readers {
        group.addTask {
          for await isOn in reader where isOn { return true }
          return false
        }
      }
      for _ in 0..<100 { store.isInspecting.toggle() }
      store.isInspecting = true
      for await found in group { #expect(found) }
    }
  }

  @Test func theEndOfTheStoreEndsThem() async throws {
    var store: PeriscopeStore? = try PeriscopeStoreTests.Machine().open()
    let changes = store?.inspectChanges()
    store = nil
    var values: [Bool] = []
    for await value in try #require(changes) { values.append(value) }
    #expect(values == [false])
  }
}
