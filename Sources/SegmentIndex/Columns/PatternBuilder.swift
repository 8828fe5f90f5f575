internal import JournalKit

/// A pattern in the making: what kinds of number its slots have had so far, and those of all its rows.
struct PatternBuilder: Sendable {
  /// Its literals, with a zero byte for each slot: an entry among the column's keys.
  let key: UInt32
  private(set) var slots: [Slot]
  /// Row after row, slot after slot.
  private(set) var numbers: [UInt64] = []
  private(set) var rowCount = 0
  /// The bytes between slots, one after another, and how many are before each slot.
  private let literals: [UInt8]
  private let literalCounts: [Int]
  /// The next pattern with the same key, whose slots are of other kinds.
  var nextVariant: Int?

  /// A slot in the making.
  struct Slot: Sendable {
    /// Never a fraction: until the end those are scaled numbers.
    fileprivate(set) var kind: SlotKind
    fileprivate(set) var least = UInt64.max
    fileprivate(set) var greatest: UInt64 = 0
  }

  /// A pattern for texts like `text`, which has these tokens.
  init(key: UInt32, for tokens: [TextScanner.Token], in text: RawSpan) {
    self.key = key
    slots = tokens.map { Slot(kind: SlotKind($0)) }
    var literals: [UInt8] = []
    var counts: [Int] = []
    var start = 0
    for token in tokens {
      literals.append(text.extracting(start..<token.start))
      counts.append(token.start - start)
      start = token.start + token.count
    }
    literals.append(text.extracting(start..<text.byteCount))
    self.literals = literals
    literalCounts = counts
  }

  /// The pattern of texts that are like no others.
  init() {
    key = 0
    slots = [Slot(kind: .text)]
    literals = []
    literalCounts = [0]
  }

  /// The bytes that this holds in memory.
  var byteCount: Int { numbers.count * 8 + slots.count * 56 + literals.count + 192 }

  /// Adds a row; false when its tokens do not fit.
  ///
  /// - Parameter kept: gets what goes into slots of text.
  mutating func append(
    _ tokens: [TextScanner.Token], _ text: RawSpan, _ kept: inout KeptTexts
  ) -> Bool {
    for index in slots.indices where !slots[index].fits(tokens[index]) {
      guard slots[index].widened(for: tokens[index]) != nil else { return false }
    }
    for index in slots.indices {
      let token = tokens[index]
      if !slots[index].fits(token), let kind = slots[index].widened(for: token) {
        widen(index, to: kind)
      }
      if slots[index].kind == .text {
        numbers.append(kept.append(text.extracting(token.start..<token.start + token.count)))
      } else {
        let number = slots[index].number(token, text)
        slots[index].note(number)
        numbers.append(number)
      }
    }
    rowCount += 1
    return true
  }

  /// Adds a row whose text has the literals, and between them what the slots have had so far; false when it has not.
  ///
  /// Much less work than to take the text apart, and what most rows need of a column whose texts are mostly alike.
  mutating func appendAlike(_ text: RawSpan) -> Bool {
    let literals = literals
    let all = literals.rawSpan
    let first = numbers.count
    var (at, literal) = (0, 0)
    for index in slots.indices {
      let count = literalCounts[index]
      guard text.byteCount - at > count,
        text.extracting(at..<at + count).equals(all.extracting(literal..<literal + count)),
        let (number, end) = text.number(slots[index].kind, at: at + count)
      else {
        numbers.removeLast(numbers.count - first)
        return false
      }
      numbers.append(number)
      literal += count
      at = end
    }
    guard text.extracting(at..<text.byteCount).equals(all.extracting(literal..<all.byteCount))
    else {
      numbers.removeLast(numbers.count - first)
      return false
    }
    for index in slots.indices { slots[index].note(numbers[first + index]) }
    rowCount += 1
    return true
  }

  /// Adds a row of the pattern that is one slot of text.
  mutating func append(keptText number: UInt64) {
    numbers.append(number)
    rowCount += 1
  }

  private mutating func widen(_ index: Int, to kind: SlotKind) {
    let old = slots[index].kind
    slots[index] = Slot(kind: kind)
    var at = index
    while at < rowCount * slots.count {
      switch (old, kind) {
      case (.number, .scaled): numbers[at] <<= 4
      case (_, .hex), (_, .upperHex): numbers[at] = numbers[at].decimalAsHexadecimal
      default: break
      }
      slots[index].note(numbers[at])
      at += slots.count
    }
  }

  /// The slots as they are written; turns scaled numbers into fractions where that loses nothing.
  mutating func finish() -> [TextPatterns.Slot] {
    slots.indices.map { index in
      if slots[index].kind == .scaled { shorten(index) }
      let slot = slots[index]
      guard slot.kind != .text else {
        return TextPatterns.Slot(kind: .text, width: 0, base: 0, literal: 0..<0)
      }
      let width = UInt64.bitWidth - (slot.greatest - slot.least).leadingZeroBitCount
      return TextPatterns.Slot(kind: slot.kind, width: width, base: slot.least, literal: 0..<0)
    }
  }

  /// Turns scaled numbers into fractions of the same scale, if zeros at their ends follow one rule and they stay
  /// small enough to be exact doubles.
  private mutating func shorten(_ index: Int) {
    var (least, scale, scaleOfZeros) = (SlotKind.maximumScale, 0, 0)
    for at in stride(from: index, to: numbers.count, by: slots.count) {
      let digits = Int(numbers[at] & 15)
      least = min(least, digits)
      scale = max(scale, digits)
      if digits > 0, numbers[at] >> 4 % 10 == 0 { scaleOfZeros = max(scaleOfZeros, digits) }
    }
    guard scaleOfZeros <= least else { return }
    for at in stride(from: index, to: numbers.count, by: slots.count) {
      let power = wholePowersOfTen[scale - Int(numbers[at] & 15)]
      let (product, overflow) = (numbers[at] >> 4).multipliedReportingOverflow(by: power)
      guard !overflow, product <= 1 << 53 else { return }
    }
    slots[index] = Slot(kind: .fraction(scale: scale, least: least))
    for at in stride(from: index, to: numbers.count, by: slots.count) {
      numbers[at] = numbers[at] >> 4 * wholePowersOfTen[scale - Int(numbers[at] & 15)]
      slots[index].note(numbers[at])
    }
  }
}

extension PatternBuilder.Slot {
  @inline(__always)
  fileprivate mutating func note(_ number: UInt64) {
    least = min(least, number)
    greatest = max(greatest, number)
  }

  @inline(__always)
  fileprivate func fits(_ token: TextScanner.Token) -> Bool {
    switch kind {
    case .number: token.kind == .digits && !token.hasLeadingZero
    case .digits(let count): token.kind == .digits && token.count == count
    case .hex(let count): token.count == count && (token.kind == .hex || token.kind == .digits)
    case .upperHex(let count):
      token.count == count && (token.kind == .upperHex || token.kind == .digits)
    case .scaled:
      token.kind == .fraction
        || token.kind == .digits && !token.hasLeadingZero
          && token.count <= SlotKind.maximumScale
    case .text: true
    case .fraction: false
    }
  }

  /// The number that stands for a token that fits.
  @inline(__always)
  fileprivate func number(_ token: TextScanner.Token, _ text: RawSpan) -> UInt64 {
    switch (kind, token.kind) {
    case (.hex, .digits), (.upperHex, .digits):
      text.hexadecimal(token.start..<token.start + token.count)
    case (.scaled, .digits): token.number << 4
    default: token.number
    }
  }

  /// The kind that fits the token and all numbers so far; nil when there is none.
  fileprivate func widened(for token: TextScanner.Token) -> SlotKind? {
    let count = token.count
    switch (kind, token.kind) {
    case (.number, .digits): return hasDigits(count) ? .digits(count) : nil
    case (.number, .fraction):
      return greatest < wholePowersOfTen[SlotKind.maximumScale] ? .scaled : nil
    case (.number, .hex): return hasDigits(count) ? .hex(count) : nil
    case (.number, .upperHex): return hasDigits(count) ? .upperHex(count) : nil
    case (.digits(count), .hex): return .hex(count)
    case (.digits(count), .upperHex): return .upperHex(count)
    default: return nil
    }
  }

  /// Whether all numbers so far have so many decimal digits.
  private func hasDigits(_ count: Int) -> Bool {
    least.decimalDigitCount == count && greatest.decimalDigitCount == count
  }
}

extension SlotKind {
  /// The kind of a slot that has had only this token.
  fileprivate init(_ token: TextScanner.Token) {
    switch token.kind {
    case .digits: self = token.hasLeadingZero ? .digits(token.count) : .number
    case .hex: self = .hex(token.count)
    case .upperHex: self = .upperHex(token.count)
    case .fraction: self = .scaled
    case .text: self = .text
    }
  }
}

extension UInt64 {
  /// The number whose hexadecimal digits are the decimal ones of this.
  fileprivate var decimalAsHexadecimal: UInt64 {
    var (rest, result, shift) = (self, 0 as UInt64, 0 as UInt64)
    while rest > 0 {
      result |= (rest % 10) << shift
      rest /= 10
      shift += 4
    }
    return result
  }
}
