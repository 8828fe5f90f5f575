internal import JournalKit

/// The beginnings of the terms at which reading a dictionary can begin, side by side in memory, so that finding the one
/// to begin at touches little of it and nothing of the dictionary.
package struct RestartKeys: Sendable {
  /// The first bytes that all of the terms have in common.
  private let prefix: [UInt8]
  /// The next eight bytes of each, as one number that orders as they do; zeros stand for those that are not there.
  private let keys: [UInt64]
  /// Whether the dictionary's own bytes must be asked, since some of them are not terms that ascend.
  private let isUseless: Bool

  package init(_ dictionary: borrowing TermDictionary) {
    var prefix: [UInt8] = []
    if dictionary.count > 0, let first = dictionary.firstTerm(ofRestart: 0),
      let last = dictionary.firstTerm(ofRestart: dictionary.restartCount - 1)
    {
      // They ascend: what the first and the last have in common, all have.
      prefix = first.extracting(0..<first.sharedPrefixCount(with: last)).toArray()
    }
    var keys: [UInt64] = []
    keys.reserveCapacity(dictionary.restartCount)
    var isUseless = false
    for restart in 0..<dictionary.restartCount {
      guard let term = dictionary.firstTerm(ofRestart: restart),
        term.sharedPrefixCount(with: prefix.rawSpan) == prefix.count
      else {
        isUseless = true
        break
      }
      let key = term.key(from: prefix.count)
      if let last = keys.last, key < last { isUseless = true }
      keys.append(key)
    }
    self.prefix = prefix
    self.keys = keys
    self.isUseless = isUseless
  }

  /// Where a term stands, as the dictionary's own `place(of:)` has it.
  package func place(
    of term: RawSpan, in dictionary: borrowing TermDictionary
  ) -> TermDictionary.Place? {
    if isUseless { return dictionary.place(of: term) }
    let common = term.sharedPrefixCount(with: prefix.rawSpan)
    guard common == prefix.count else {
      // It comes before all terms, or behind the last restart, which only that can tell from being there.
      let isBehind = common < term.byteCount && term[common] > prefix[common]
      return isBehind ? dictionary.place(of: term, fromRestart: keys.count - 1) : .absent
    }
    let key = term.key(from: prefix.count)
    // Of the restarts with the same key the terms decide: the last one whose term is not after the one sought.
    let low = firstRestart(notBelow: key)
    var high = key == .max ? keys.count : low
    if key < .max, low < keys.count, keys[low] == key { high = firstRestart(notBelow: key + 1) }
    return dictionary.place(of: term, amongRestarts: low..<high)
  }

  /// The first restart whose key is not below this one, or how many there are.
  private func firstRestart(notBelow key: UInt64) -> Int {
    let keys = self.keys.span
    var low = 0
    var count = keys.count
    while count > 0 {
      let half = count / 2
      let isBelow = keys[low &+ half] < key
      low = isBelow ? low &+ half &+ 1 : low
      count = isBelow ? count &- half &- 1 : half
    }
    return low
  }
}

extension RawSpan {
  /// The eight bytes from `start` on as a big-endian number; zeros where there are none.
  fileprivate func key(from start: Int) -> UInt64 {
    if byteCount - start >= 8 { return littleEndian(UInt64.self, at: start).byteSwapped }
    var key: UInt64 = 0
    for index in start..<start + 8 {
      key = key << 8 | (index < byteCount ? UInt64(self[index]) : 0)
    }
    return key
  }
}
