internal import JournalKit

/// Collects a column of texts, and finds their patterns as they come.
struct TextColumnBuilder: Sendable {
  /// How many patterns of one key there may be.
  private static let variantLimit = 8
  /// Longer texts are not looked at for patterns.
  private static let lengthLimit = 8192

  /// The literals of patterns, with a zero byte for each slot.
  private(set) var keys = TermInterner()
  /// By key, the first pattern that has it.
  private var firstVariants: [Int] = []
  /// Pattern 0 is one slot of text.
  var patterns = [PatternBuilder()]
  /// By row.
  private(set) var patternOfRow: [UInt32] = []
  /// The texts in slots.
  private(set) var kept = KeptTexts()
  private var scanner = TextScanner()
  private var patternByteCount = 0
  /// That of the last row that has one besides pattern 0.
  private var lastPattern = 0

  /// By what `signature` says of a text, the last pattern that such a text had.
  private var expected = [UInt32](repeating: 0, count: 1 << signatureBits)
  private static let signatureBits = 11

  /// Whether every text is empty.
  private(set) var isEmpty = true

  /// The bytes that this holds in memory.
  var byteCount: Int {
    keys.byteCount + patternByteCount + patternOfRow.count * 4 + kept.byteCount
  }

  /// Adds an empty text as that of the next row.
  mutating func appendEmpty() {
    patterns[0].append(keptText: kept.appendEmpty())
    patternByteCount += 8
    patternOfRow.append(0)
  }

  /// Makes the rows up to `count` empty, if there are fewer.
  mutating func pad(to count: Int) {
    while patternOfRow.count < count { appendEmpty() }
  }

  /// Adds the text of the next row.
  mutating func append(_ text: RawSpan) {
    if text.byteCount > 0 { isEmpty = false }
    // Most texts are like the last one, or like the last one that began and ended so.
    if lastPattern > 0, appendAlike(text, lastPattern) { return }
    let signature = Self.signature(of: text)
    let pattern = Int(expected[signature])
    if pattern > 0, pattern != lastPattern, appendAlike(text, pattern) { return }
    let isPatterned =
      text.byteCount > 0 && text.byteCount <= Self.lengthLimit && scanner.scan(text)
      && scanner.key.count <= TextPatterns.maximumLiteralCount && appendPatterned(text)
    if isPatterned {
      expected[signature] = UInt32(lastPattern)
    } else {
      patterns[0].append(keptText: kept.append(text))
      patternByteCount += 8
      patternOfRow.append(0)
    }
  }

  private mutating func appendAlike(_ text: RawSpan, _ pattern: Int) -> Bool {
    guard patterns[pattern].appendAlike(text) else { return false }
    patternByteCount += patterns[pattern].slots.count * 8
    patternOfRow.append(UInt32(pattern))
    lastPattern = pattern
    return true
  }

  /// What texts of one pattern often have in common: a hash of the first eight bytes but for digits, and of the last
  /// eight but for what may be digits of any kind.
  private static func signature(of text: RawSpan) -> Int {
    guard text.byteCount >= 8 else { return 0 }
    let start = text.littleEndian(UInt64.self, at: 0)
    let end = text.littleEndian(UInt64.self, at: text.byteCount - 8)
    let hash = start.withoutDigits &* 0x9e37_79b9_7f4a_7c15 ^ end.lateLetters
    return Int((hash &* 0xd6e8_feb8_6659_fd93) >> UInt64(64 - signatureBits))
  }

  /// Adds the scanned text to the first pattern that it fits; false when it fits none, and its key has too many.
  private mutating func appendPatterned(_ text: RawSpan) -> Bool {
    let scannedKey = scanner.key
    let key = keys.intern(scannedKey.rawSpan)
    if key == firstVariants.count { firstVariants.append(addPattern(key, text)) }
    var index = firstVariants[Int(key)]
    for _ in 0..<Self.variantLimit {
      if patterns[index].append(scanner.tokens, text, &kept) {
        patternByteCount += scanner.tokens.count * 8
        patternOfRow.append(UInt32(index))
        lastPattern = index
        return true
      }
      if patterns[index].nextVariant == nil { patterns[index].nextVariant = addPattern(key, text) }
      index = patterns[index].nextVariant ?? 0
    }
    return false
  }

  private mutating func addPattern(_ key: UInt32, _ text: RawSpan) -> Int {
    let pattern = PatternBuilder(key: key, for: scanner.tokens, in: text)
    patternByteCount += pattern.byteCount
    patterns.append(pattern)
    return patterns.count - 1
  }
}

extension UInt64 {
  /// The bytes of this, zeros in the place of decimal digits.
  fileprivate var withoutDigits: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let values = self ^ (ones &* 0x30)
    let others = (((values & (ones &* 0x7f)) &+ (ones &* 0x76)) | values) & (ones &* 0x80)
    return self & ((others >> 7) &* 0xff)
  }

  /// Those bytes of this that are ASCII from `g` on, which no hexadecimal number has; zeros in the place of others.
  fileprivate var lateLetters: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let late = ((self & (ones &* 0x7f)) &+ (ones &* 0x19)) & ~self & (ones &* 0x80)
    return self & ((late >> 7) &* 0xff)
  }
}
