import SegmentIndex
import Testing

/// Which of several descriptions of a run counts.
@Suite struct SessionInfoTests {
  private static let descriptions = [
    SessionInfo(id: UniqueID(bits: 1), start: 20, app: "Shop 1"),
    SessionInfo(id: UniqueID(bits: 1), start: 30, app: "Shop 2", os: "Linux"),
    SessionInfo(id: UniqueID(bits: 1), start: 20, app: "Shop 1", device: "box"),
    SessionInfo(id: UniqueID(bits: 1), start: 10),
  ]

  @Test func whatSaysSomethingCountsThenTheEarlierStart() {
    let (early, late, other, bare) = (
      Self.descriptions[0], Self.descriptions[1], Self.descriptions[2], Self.descriptions[3]
    )
    #expect(early.counts(before: late) && !late.counts(before: early))
    #expect(early.counts(before: other) && !other.counts(before: early))
    #expect(late.counts(before: bare) && !bare.counts(before: late))
    #expect(!early.counts(before: early))
    #expect(bare.counts(before: SessionInfo(id: bare.id, start: 11)))
  }

  @Test func theOrderInWhichTheyComeIsOfNoAccount() {
    for turn in 0..<Self.descriptions.count {
      let turned = Array(Self.descriptions[turn...] + Self.descriptions[..<turn])
      for order in [turned, turned.reversed()] {
        let sessions = SessionDescriptions(order)
        #expect(sessions.all == [Self.descriptions[0]])
        #expect(sessions[UniqueID(bits: 1)] == Self.descriptions[0])
        #expect(sessions[UniqueID(bits: 2)] == nil)
      }
    }
  }
}
