import PQL
import SegmentIndex
import Testing

/// The stages `context` and `trace`, on records small enough to check by eye.
@Suite struct NeighbourStageTests {
  /// Twelve records `a` to `l`, a second apart, alternately of two sessions but for the last.
  private static let letters = Array("abcdefghijkl").map(String.init)

  private static let records: [Record] = letters.enumerated().map { index, letter in
    SmallStore.record(index) {
      $0.message = letter
      $0.session = UniqueID(bits: index % 2 == 0 ? 1 : 2)
    }
  }

  @Test(arguments: [1, 3])
  func contextIsOfTheSession(_ segmentCount: Int) throws {
    let store = try SmallStore(Self.records, segmentCount: segmentCount)
    func rows(_ text: String) throws -> [String] {
      try store.rows("\(text) | select message, match, group")
    }
    #expect(try rows("e | context 1") == ["c,false,1", "e,true,1", "g,false,1"])
    #expect(try rows("e | context 1 0") == ["c,false,1", "e,true,1"])
    #expect(try rows("e | context 0 1") == ["e,true,1", "g,false,1"])
    #expect(try rows("a or l | context 1") == ["a,true,1", "c,false,1", "j,false,2", "l,true,2"])
    // Neighbours that overlap or touch are one group; others are not.
    #expect(
      try rows("c or g | context 1") == [
        "a,false,1", "c,true,1", "e,false,1", "g,true,1", "i,false,1",
      ])
    #expect(try rows("c or e | context 0") == ["c,true,1", "e,true,1"])
    #expect(try rows("c or g | context 0") == ["c,true,1", "g,true,2"])
    // Groups of two sessions interleave in time and stay apart.
    #expect(
      try rows("c or d | context 1") == [
        "a,false,1", "c,true,1", "e,false,1", "b,false,2", "d,true,2", "f,false,2",
      ])
    #expect(try rows("nothing | context 3") == [])
  }

  /// Later stages see whole records, and the columns that were added.
  @Test func contextRowsAreStillRecords() throws {
    let store = try SmallStore(Self.records)
    #expect(
      try store.rows("e | context 1 | where match = false sequence > 3 | select message") == ["g"])
    #expect(try store.rows("e | context 2 | count by match") == ["false,4", "true,1"])
    guard let table = try store.run("e | context 1").table else {
      Issue.record("no table")
      return
    }
    #expect(table.columns == ["time", "level", "event", "scope", "message", "match", "group"])
  }

  /// Records of one time stand in the order of their sequence.
  @Test func equalTimesAreOrdered() throws {
    let records = (0..<9).map { index in
      SmallStore.record(index, at: SmallStore.start) { $0.message = "\(index)" }
    }
    for segmentCount in 1...3 {
      let store = try SmallStore(records.shuffled(), segmentCount: segmentCount)
      #expect(
        try store.rows("message = \"4\" | context 2 | select message") == ["2", "3", "4", "5", "6"])
    }
  }

  // MARK: Trace

  /// A session in which a fault happens at second 100.
  private static let traced: [Record] = {
    func record(
      _ second: Int, _ message: String, _ scopes: [String], span: Int? = nil, session: Int = 1
    ) -> Record {
      SmallStore.record(second) {
        $0.message = message
        $0.scopes = scopes
        $0.span = span.map { UniqueID(bits: UInt128($0)) }
        $0.session = UniqueID(bits: UInt128(session))
      }
    }
    return [
      record(0, "too early", ["App/Photos/1"]), record(50, "app", ["App"]),
      record(55, "photos", ["App/Photos"]), record(60, "same", ["App/Photos/1"]),
      record(62, "elsewhere", ["App/Photos/2"]), record(65, "links", ["App/Photos/1", "Job/7"]),
      record(70, "linked", ["Job/7"]), record(75, "job", ["Job"]),
      record(80, "span", ["Disk"], span: 9), record(85, "disk", ["Disk"]),
      record(90, "other session", ["App/Photos/1"], session: 2),
      record(100, "fault", ["App/Photos/1"], span: 9),
      record(101, "after", ["App/Photos/1"]),
    ]
  }()

  @Test(arguments: [1, 3])
  func traceFollowsSpansScopesAndLinks(_ segmentCount: Int) throws {
    let store = try SmallStore(Self.traced, segmentCount: segmentCount)
    #expect(
      try store.rows("fault | trace back 1m | select message, relation, distance, lag") == [
        "app,ancestor,2,50s", "photos,ancestor,1,45s", "same,scope,0,40s", "links,scope,0,35s",
        "linked,link,1,30s", "job,ancestor,2,25s", "span,span,0,20s", "fault,anchor,0,0s",
      ])
    #expect(
      try store.rows("fault | trace back 1m depth 1 | select message") == [
        "photos", "same", "links", "linked", "span", "fault",
      ])
    #expect(
      try store.rows("fault | trace back 1m depth 0 | select message") == [
        "same", "links", "span", "fault",
      ])
    #expect(try store.rows("fault | trace | limit 1 | select message") == ["too early"])
    #expect(
      try store.rows("fault | trace back 30s | select message") == [
        // The record that links the scopes is too old, and so nothing is linked.
        "span", "fault",
      ])
  }

  /// A slash separates scopes whatever comes behind it.
  @Test func scopesAreSplitAtEverySlash() throws {
    let records = [["App"], ["App/\u{301}x"]].enumerated().map { index, scopes in
      SmallStore.record(index) { $0.scopes = scopes }
    }
    #expect(
      try SmallStore(records).rows("| limit 1 | trace | select relation") == ["ancestor", "anchor"])
  }

  @Test func everyAnchorHasItsRows() throws {
    let store = try SmallStore(Self.traced)
    #expect(
      try store.rows("same or links | trace depth 0 | stats n = count() by anchor") == [
        "00000000-0000-0000-0000-000000000042,3", "00000000-0000-0000-0000-00000000003d,2",
      ])
    #expect(
      try store.rows("fault or same | trace | where relation = anchor | select message") == [
        "same", "fault",
      ])
  }

  @Test func tooManyAnchorsAreCut() throws {
    let store = try SmallStore(Self.traced)
    let result = try store.run("| trace back 1s")
    #expect(result.summary.isCut)
    #expect(result.summary.notes[0].contains("first 10 of 13"))
  }

  @Test(arguments: [
    ("| trace | context 1", "B210"), ("| context 1 | trace", "B210"), ("| trace depth 9", "P010"),
    ("| trace back 0s", "P010"), ("| context 1001", "P010"), ("| context 1 1001", "P010"),
    ("| extend match = 1 | context 1", "B209"), ("| count | context 1", "B210"),
    ("| count | trace", "B210"), ("| count | spans", "B210"), ("| spans | dedup span", "B210"),
    ("| count by level | stats rate()", "B210"),
  ])
  func refuses(_ text: String, _ code: String) throws {
    let problem = try SmallStore(Self.records).problem(text)
    #expect(problem.hasPrefix("error[\(code)]") && !problem.contains("\n"), "\(text): \(problem)")
  }
}
