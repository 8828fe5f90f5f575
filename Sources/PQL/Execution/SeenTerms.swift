internal import SegmentIndex

/// Which terms of a segment's column have been seen in each group, so that each is counted once.
struct SeenTerms {
  let slot: Int
  private let wordCount: Int
  private var words: [UInt64] = []
  /// Beyond so many words, terms are counted again and again, which is slower.
  private static let wordLimit = 1 << 18

  init(slot: Int, codeCount: Int) {
    self.slot = slot
    wordCount = codeCount / 64 + 1
  }

  /// Notes codes of rows of the one group that there is without keys.
  mutating func note(_ codes: [UInt32]) {
    if words.isEmpty { words = [UInt64](repeating: 0, count: wordCount) }
    var output = words.mutableSpan
    for code in codes { output[Int(code / 64)] |= 1 << UInt64(code % 64) }
  }

  /// Calls `body` with the terms of the codes that have been noted, in the order of the dictionary: in that of the rows
  /// nearly each would be waited for until it is there from memory.
  func forEachNoted(_ reader: GranuleReader, _ body: (Value) -> Void) {
    for code in words.setBits where code > 0 {
      if let value = reader.value(slot, code: code) { body(value) }
    }
  }

  /// Calls `body` with the terms of rows that have not been seen in the rows' groups before, and with these.
  mutating func add(
    _ rows: [Int], _ groups: [Int], _ reader: GranuleReader, _ body: (Value, Int) -> Void
  ) {
    let codes = reader.slots[slot].codes
    let (codeSpan, rowSpan, groupSpan) = (codes.span, rows.span, groups.span)
    for index in groupSpan.indices where groupSpan[index] >= 0 {
      let group = groupSpan[index]
      let code = Int(codeSpan[rowSpan[index]])
      guard code > 0 else { continue }
      let word = group * wordCount + code / 64
      if word < Self.wordLimit {
        if word >= words.count {
          words += repeatElement(0, count: (group + 1) * wordCount - words.count)
        }
        let bit: UInt64 = 1 << UInt64(code % 64)
        guard words[word] & bit == 0 else { continue }
        words[word] |= bit
      }
      if let value = reader.value(slot, code: code) { body(value, group) }
    }
  }
}
