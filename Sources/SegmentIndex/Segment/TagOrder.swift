internal import JournalKit

/// Finds an order of a segment's tags that agrees with the orders in which its records list theirs.
///
/// Records usually list their tags in orders that fit together, and then nothing has to be stored for
/// the order. Where they do not fit, those that disagree with the order found keep a list of their own.
package enum TagOrder {
  /// Puts the numbers `0..<count` in an order that agrees with as many of the `lists` as it easily can:
  /// a topological order, which begins again with the lowest number whenever it is stuck in a cycle.
  package static func order(of count: Int, agreeingWith lists: [[Int]]) -> [Int] {
    var followers = [[Int]](repeating: [], count: count)
    var waitingFor = [Int](repeating: 0, count: count)
    for list in lists {
      for (before, after) in zip(list, list.dropFirst()) {
        followers[before].append(after)
        waitingFor[after] += 1
      }
    }
    var order: [Int] = []
    var isPlaced = [Bool](repeating: false, count: count)
    for start in 0..<count where !isPlaced[start] && waitingFor[start] == 0 {
      place(start)
    }
    for start in 0..<count where !isPlaced[start] {
      place(start)
    }
    return order

    /// Places a number, and then whichever were waiting only for those placed.
    func place(_ first: Int) {
      var ready = [first]
      while let next = ready.popLast() {
        guard !isPlaced[next] else { continue }
        isPlaced[next] = true
        order.append(next)
        for follower in followers[next].reversed() {
          waitingFor[follower] -= 1
          if waitingFor[follower] == 0 { ready.append(follower) }
        }
      }
    }
  }
}

extension Array where Element == LogTag {
  /// These tags without those whose key, to the byte, an earlier one has.
  var withUniqueKeys: [LogTag] {
    if count <= 16, !hasEquivalentKeys { return self }
    var keys = TermInterner()
    return filter { tag in
      let count = keys.count
      _ = keys.intern(Array<UInt8>(tag.key.utf8).rawSpan)
      return keys.count > count
    }
  }

  /// Whether two keys are the same text, if perhaps not to the byte. For few tags only.
  private var hasEquivalentKeys: Bool {
    for index in indices {
      for earlier in 0..<index where self[earlier].key == self[index].key { return true }
    }
    return false
  }
}
