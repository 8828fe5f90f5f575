internal import JournalKit

/// Takes a text apart into what texts of its kind have in common and what varies.
///
/// What varies are runs of ASCII letters and digits with a digit in them, and hexadecimal ones without. The rest is
/// the text's *key*, in which a zero byte marks each such place.
struct TextScanner {
  /// A piece that varies.
  struct Token {
    enum Kind { case digits, hex, upperHex, fraction, text }
    var kind: Kind
    var start: Int
    var count: Int
    /// The value of digits; of a fraction what `SlotKind.scaled` says. Nothing for text.
    var number: UInt64
    /// Whether digits have a zero before others.
    var hasLeadingZero: Bool
  }

  /// The text with a zero byte for each token.
  private(set) var key: [UInt8] = []
  private(set) var tokens: [Token] = []
  private let classes = CharacterClass.table
  /// Where what the key does not have yet begins.
  private var literal = 0

  /// Takes `text` apart; false when it has a zero byte or an endless number of tokens.
  mutating func scan(_ text: RawSpan) -> Bool {
    key.removeAll(keepingCapacity: true)
    tokens.removeAll(keepingCapacity: true)
    literal = 0
    let classes = classes
    let table = classes.span
    var at = 0
    while at < text.byteCount {
      var mask = table[Int(text[at])]
      if mask == 0 {
        at += 1
        continue
      }
      guard mask != CharacterClass.zero else { return false }
      let start = at
      at += 1
      while at < text.byteCount {
        let next = table[Int(text[at])]
        guard next & CharacterClass.alphanumeric != 0 else { break }
        mask |= next
        at += 1
      }
      let isLetters = mask & CharacterClass.digit == 0
      guard !isLetters || mask == CharacterClass.lowerHex && at - start >= 6 else { continue }
      at = take(text, start..<at, mask)
      guard tokens.count <= TextPatterns.maximumSlotCount else { return false }
    }
    key.append(text.extracting(literal..<text.byteCount))
    return true
  }

  /// Takes a run; returns where to go on.
  private mutating func take(_ text: RawSpan, _ run: Range<Int>, _ mask: UInt8) -> Int {
    if mask == CharacterClass.digit {
      if let end = takeFraction(text, run) { return end }
      if run.count == 8, let end = takeUUID(text, run) { return end }
      takeDigits(text, run)
    } else if mask & ~(CharacterClass.digit | CharacterClass.lowerHex) == 0 {
      if run.count == 8, let end = takeUUID(text, run) { return end }
      if run.count < 4 { takeParts(text, run) } else { takeHex(text, run, .hex) }
    } else if mask & ~(CharacterClass.digit | CharacterClass.upperHex) == 0, run.count >= 4 {
      takeHex(text, run, .upperHex)
    } else {
      takeParts(text, run)
    }
    return run.upperBound
  }

  private mutating func add(_ token: Token, _ text: RawSpan) {
    if literal < token.start { key.append(text.extracting(literal..<token.start)) }
    key.append(0)
    tokens.append(token)
    literal = token.start + token.count
  }

  private mutating func takeDigits(_ text: RawSpan, _ run: Range<Int>) {
    var start = run.lowerBound
    while start < run.upperBound {
      let end = min(start + SlotKind.maximumDigitCount, run.upperBound)
      let hasLeadingZero = text[start] == 0x30 && end - start > 1
      add(
        Token(
          kind: .digits, start: start, count: end - start, number: text.decimal(start..<end),
          hasLeadingZero: hasLeadingZero), text)
      start = end
    }
  }

  private mutating func takeHex(_ text: RawSpan, _ run: Range<Int>, _ kind: Token.Kind) {
    var start = run.lowerBound
    while start < run.upperBound {
      let end = min(start + SlotKind.maximumDigitCount, run.upperBound)
      add(
        Token(
          kind: kind, start: start, count: end - start, number: text.hexadecimal(start..<end),
          hasLeadingZero: false), text)
      start = end
    }
  }

  /// Takes digits, a point and digits, unless more such parts make something else of it, such as an address.
  private mutating func takeFraction(_ text: RawSpan, _ run: Range<Int>) -> Int? {
    let point = run.upperBound
    guard point < text.byteCount, text[point] == UInt8(ascii: "."),
      text[run.lowerBound] != 0x30 || run.count == 1,
      run.lowerBound == 0 || text[run.lowerBound - 1] != UInt8(ascii: ".")
    else { return nil }
    var end = point + 1
    while end < text.byteCount, text[end] &- 0x30 < 10 { end += 1 }
    let scale = end - point - 1
    guard scale > 0, run.count + scale <= SlotKind.maximumScale else { return nil }
    if end + 1 < text.byteCount, text[end] == UInt8(ascii: "."), text[end + 1] &- 0x30 < 10 {
      return nil
    }
    let whole = text.decimal(run) * wholePowersOfTen[scale]
    let mantissa = whole + text.decimal(point + 1..<end)
    add(
      Token(
        kind: .fraction, start: run.lowerBound, count: end - run.lowerBound,
        number: mantissa << 4 | UInt64(scale), hasLeadingZero: false), text)
    return end
  }

  /// Takes the five groups of a UUID, whose digits alone would not always show that they are hexadecimal.
  private mutating func takeUUID(_ text: RawSpan, _ run: Range<Int>) -> Int? {
    let start = run.lowerBound
    guard start <= text.byteCount - 36, text[start + 8] == UInt8(ascii: "-") else { return nil }
    let classes = classes
    let table = classes.span
    for offset in 9..<36 {
      let byte = text[start + offset]
      if offset == 13 || offset == 18 || offset == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard table[Int(byte)] & (CharacterClass.digit | CharacterClass.lowerHex) != 0
        else { return nil }
      }
    }
    for (from, to) in [(0, 8), (9, 13), (14, 18), (19, 23), (24, 36)] {
      takeHex(text, start + from..<start + to, .hex)
    }
    return start + 36
  }

  /// Takes a run of letters and digits that is no number: of few parts, the digits are tokens; of many, all of it.
  private mutating func takeParts(_ text: RawSpan, _ run: Range<Int>) {
    if run.count > 2, text[run.lowerBound] == 0x30, text[run.lowerBound + 1] == UInt8(ascii: "x"),
      text.isHex(run.lowerBound + 2..<run.upperBound)
    {
      return takeHex(text, run.lowerBound + 2..<run.upperBound, .hex)
    }
    var turns = 0
    for at in run.dropFirst() where text.isDigit(at) != text.isDigit(at - 1) { turns += 1 }
    guard turns <= 2 else {
      let token = Token(
        kind: .text, start: run.lowerBound, count: run.count, number: 0, hasLeadingZero: false)
      return add(token, text)
    }
    var start = run.lowerBound
    while start < run.upperBound {
      var end = start + 1
      while end < run.upperBound, text.isDigit(end) == text.isDigit(start) { end += 1 }
      if text.isDigit(start) { takeDigits(text, start..<end) }
      start = end
    }
  }
}

/// What kinds of character a run has: bits.
private enum CharacterClass {
  static let digit: UInt8 = 1
  static let lowerHex: UInt8 = 2
  static let upperHex: UInt8 = 4
  static let otherLetter: UInt8 = 8
  static let alphanumeric: UInt8 = 15
  /// The zero byte.
  static let zero: UInt8 = 16

  /// By byte; no bit for all other bytes.
  static let table: [UInt8] = (0...255 as ClosedRange<UInt8>).map { byte in
    switch byte {
    case 0: zero
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit
    case UInt8(ascii: "a")...UInt8(ascii: "f"): lowerHex
    case UInt8(ascii: "A")...UInt8(ascii: "F"): upperHex
    case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "G")...UInt8(ascii: "Z"): otherLetter
    default: 0
    }
  }
}

extension RawSpan {
  @inline(__always)
  fileprivate func isDigit(_ at: Int) -> Bool {
    self[at] &- 0x30 < 10
  }

  fileprivate func isHex(_ range: Range<Int>) -> Bool {
    range.allSatisfy { isDigit($0) || self[$0] &- UInt8(ascii: "a") < 6 }
  }

  /// The value of decimal digits, at most nineteen.
  @inline(__always)
  fileprivate func decimal(_ range: Range<Int>) -> UInt64 {
    var value: UInt64 = 0
    for at in range { value = value &* 10 &+ UInt64(self[at] &- 0x30) }
    return value
  }

  /// The value of hexadecimal digits, at most sixteen.
  @inline(__always)
  func hexadecimal(_ range: Range<Int>) -> UInt64 {
    var value: UInt64 = 0
    // The low four bits are a digit's value, and a letter's less 9; only a letter has bit 6.
    for at in range {
      let byte = self[at]
      value = value << 4 | UInt64(byte & 15 &+ 9 &* (byte >> 6))
    }
    return value
  }
}
