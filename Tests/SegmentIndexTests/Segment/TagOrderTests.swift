import SegmentIndex
import TestSupport
import Testing

@Suite struct TagOrderTests {
  @Test func agreesWithEveryListWhereThatIsPossible() {
    for seed in UInt64(0)..<200 {
      var random = SeededRandom(seed: seed)
      let hidden = Array(0..<12).shuffled(using: &random)
      let lists = (0..<8).map { _ in hidden.filter { _ in Bool.random(using: &random) } }
      let order = TagOrder.order(of: 12, agreeingWith: lists)
      #expect(order.sorted() == Array(0..<12), "\(random)")
      for list in lists {
        #expect(order.filter(list.contains) == list, "\(random)")
      }
    }
  }

  @Test func placesEveryNumberOnceWhateverTheLists() {
    for seed in UInt64(0)..<200 {
      var random = SeededRandom(seed: seed)
      let lists = (0..<6).map { _ in
        Array(0..<7).shuffled(using: &random).prefix(Int(random.next() % 8)).map { $0 }
      }
      #expect(TagOrder.order(of: 7, agreeingWith: lists).sorted() == Array(0..<7), "\(random)")
    }
    #expect(TagOrder.order(of: 0, agreeingWith: []) == [])
    #expect(TagOrder.order(of: 2, agreeingWith: [[0, 1], [1, 0]]) == [0, 1])
  }
}
