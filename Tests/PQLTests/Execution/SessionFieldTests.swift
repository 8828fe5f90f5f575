import FuzzTargets
import PQL
import SegmentIndex
import Testing

/// Fields of the session, which segments describe.
@Suite struct SessionFieldTests {
  /// A record of session 7, in a segment that describes the session like this.
  private func segment(_ index: Int, _ info: SessionInfo) throws -> Segment {
    var builder = SegmentBuilder(id: UniqueID(bits: UInt128(index)))
    builder.add(info)
    builder.append(SmallStore.record(index))
    return try Segment(bytes: try builder.finish(), name: "\(index)")
  }

  @Test func doNotDependOnTheOrderOfSegments() throws {
    let id = UniqueID(bits: 7)
    let segments = [
      try segment(1, SessionInfo(id: id, start: 5)),
      try segment(2, SessionInfo(id: id, start: 20, app: "Shop 2")),
      try segment(3, SessionInfo(id: id, start: 10, app: "Shop 1")),
    ]
    let context = QueryContext(now: SmallStore.start)
    for order in [segments, segments.reversed(), [segments[1], segments[0], segments[2]]] {
      let snapshot = Snapshot(segments: order)
      let query = try Query(#"session.app = "Shop 1" | count by session.start"#)
      let result = try query.run(on: snapshot, context)
      #expect(result.table?.rows == [[.time(10), .int(3)]])
      #expect(try Query("session = current").run(on: snapshot, context).rowCount == 3)
    }
  }
}

/// What random stores are made of.
@Suite struct StoreGeneratorTests {
  /// Sessions that were one could not be told apart, and described differently.
  @Test func sessionsDifferHoweverFewTheChoices() {
    let sessions = StoreGenerator(Choices(Zeros())).sessions
    #expect(Set(sessions.map(\.id)).count == sessions.count)
  }

  private struct Zeros: RandomNumberGenerator {
    func next() -> UInt64 { 0 }
  }
}
