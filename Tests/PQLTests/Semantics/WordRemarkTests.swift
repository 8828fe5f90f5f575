import PQL
import SegmentIndex
import Testing

/// What other languages write as a comparison is, here, words to search for; the answer says so.
@Suite struct WordRemarkTests {
  private func notes(_ text: String) throws -> [String] {
    let store = try SmallStore([SmallStore.record(0)])
    return try Query(text).run(on: store.segments, store.context).summary.notes
  }

  @Test(arguments: [
    ("message contains x", "`message contains x` searches", "write message : x"),
    ("level is error timeout", "`level is error` searches", "write level = error"),
    (
      "timeout message contains \"disk full\"", "`message contains \"disk full\"`",
      "message : \"disk full\""
    ),
    ("event like photo | count", "`event like photo`", "write event : photo"),
    ("event matches", "`event matches`", "write event ~ ..."),
  ])
  func comparisonsInWords(_ text: String, _ written: String, _ meant: String) throws {
    let notes = try notes(text)
    #expect(
      notes.count == 1 && notes[0].contains(written) && notes[0].hasSuffix(meant), "\(notes)")
  }

  @Test(arguments: [
    "contains x", "message : x", "user contains x", "(message or contains or x)",
    "message -contains", "disk is full", "level = error",
  ])
  func othersAreLeftAlone(_ text: String) throws {
    #expect(try notes(text).allSatisfy { !$0.contains("searches messages") })
  }
}
