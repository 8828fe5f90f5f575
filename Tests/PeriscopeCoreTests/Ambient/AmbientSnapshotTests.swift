import PeriscopeCore
import Testing

@Suite struct AmbientSnapshotTests {
  struct Moment: AmbientEvent {
    static let eventName = "moment"
    static let ambientKind = "door"
    var message: String { "it rang" }
  }

  struct Door: AmbientEvent {
    static let eventName = "door"
    static let ambientKind = "door"
    var isOpen: Bool
    var message: String { "door" }
    var ambientState: String? { isOpen ? "open" : "closed" }
  }

  @Test func theNewestStateOfAKindCounts() {
    var snapshot = AmbientSnapshot()
    #expect(snapshot.tags.isEmpty)
    snapshot.fold(Door(isOpen: true))
    snapshot.fold(Door(isOpen: false))
    #expect(snapshot["door"] == "closed")
    #expect(snapshot.tags == [LogTag("ambient.door", .string("closed"))])
  }

  @Test func whatMerelyHappenedChangesNothing() {
    var snapshot = AmbientSnapshot()
    snapshot.fold(Moment())
    #expect(snapshot.tags.isEmpty)
    snapshot.fold(Door(isOpen: true))
    snapshot.fold(Moment())
    #expect(snapshot["door"] == "open")
  }

  @Test func kindsAreSortedAndCanBeForgotten() {
    var snapshot = AmbientSnapshot()
    for kind in ["power", "disk", "memory"] { snapshot[kind] = kind.uppercased() }
    #expect(snapshot.tags.map(\.key) == ["ambient.disk", "ambient.memory", "ambient.power"])
    snapshot["disk"] = nil
    snapshot["disk"] = nil
    #expect(snapshot.tags.map(\.key) == ["ambient.memory", "ambient.power"])
    #expect(snapshot["disk"] == nil)
  }

  @Test func thereAreNotAnyNumberOfKinds() {
    var snapshot = AmbientSnapshot()
    for number in 0..<100 { snapshot["kind-\(number)"] = "x" }
    #expect(snapshot.tags.count == AmbientSnapshot.kindLimit)
    // Those that are there go on.
    snapshot["kind-0"] = "y"
    #expect(snapshot["kind-0"] == "y")
  }
}
