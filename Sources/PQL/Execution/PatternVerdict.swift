internal import SegmentIndex

/// What a pattern says about all texts that it has.
enum PatternVerdict {
  /// None contains what is sought.
  case never
  /// It depends on what is in the slots.
  case perhaps
  /// All contain it.
  case always
}

extension TextSearch {
  /// For each pattern of a column whether its texts contain the sought one.
  func verdicts(on column: TextColumn) throws(SegmentError) -> [PatternVerdict] {
    let patterns = try column.patterns
    guard let core, patterns.isASCII else {
      return patterns.patterns.map { verdict(on: $0, of: patterns) }
    }
    var verdicts = [PatternVerdict](repeating: .never, count: patterns.count)
    // Where no slot can stand within the core all of it must be in a literal, and mostly it is in none, or in few: it is
    // sought in all of them at once.
    var start =
      try column.mayHaveLiteral(with: core.bytes) ? 0 : patterns.literals.count
    while let place = core.firstPlace(in: patterns.literals.span, from: start) {
      let code = patterns.code(ofLiteralAt: place)
      let pattern = patterns.patterns[code]
      start = place + 1
      guard place + core.count <= pattern.literals.upperBound else { continue }
      start = pattern.literals.upperBound
      verdicts[code] =
        isFound(withCoreAt: place, in: pattern, of: patterns)
        ? .always : verdict(on: pattern, of: patterns)
    }
    let mayHold = core.holds(oneOf: patterns.slotKinds)
    if !mayHold, patterns.textPatternCount == 1 {
      verdicts[0] = .perhaps
      return verdicts
    }
    for code in patterns.patterns.indices where verdicts[code] == .never {
      let pattern = patterns.patterns[code]
      if pattern.hasText {
        verdicts[code] = .perhaps
      } else if mayHold, core.holds(oneOf: pattern.slotKinds) {
        verdicts[code] = verdict(on: pattern, of: patterns)
      }
    }
    return verdicts
  }

  /// Whether no message of the column can contain the text, as far as that is told without looking at each pattern.
  func isRuledOut(in column: TextColumn) throws(SegmentError) -> Bool {
    let patterns = try column.patterns
    guard let core, patterns.isASCII, !core.holds(oneOf: patterns.slotKinds),
      patterns.textPatternCount == 1, try !column.mayHaveLiteral(with: core.bytes)
    else { return false }
    return try column.rowCount(ofPattern: 0) == 0
  }

  /// Whether the text stands in a literal of the pattern, all of it, with its core at `place`. Literals must be ASCII.
  private func isFound(
    withCoreAt place: Int, in pattern: TextPatterns.Pattern, of patterns: TextPatterns
  ) -> Bool {
    guard let core else { return false }
    let range = place - core.offset..<place - core.offset + search.needle.count
    let isInOne =
      pattern.tail.contains(range)
      || patterns.slots[pattern.slots].contains { $0.literal.contains(range) }
    return isInOne && search.isFound(in: patterns.literals.span.extracting(range))
  }

  private func verdict(
    on pattern: TextPatterns.Pattern, of patterns: TextPatterns
  ) -> PatternVerdict {
    let slots = patterns.slots[pattern.slots]
    let literals = patterns.literals.span
    if slots.isEmpty { return isFound(in: literals.extracting(pattern.tail)) ? .always : .never }
    // Marks beyond ASCII could join what is in a slot before them.
    guard glob == nil, patterns.isASCII || literals.extracting(pattern.literals).isASCII
    else { return .perhaps }
    for slot in slots where isFound(in: literals.extracting(slot.literal)) { return .always }
    if isFound(in: literals.extracting(pattern.tail)) { return .always }
    return canSpan(slots, tail: pattern.tail, literals) ? .perhaps : .never
  }

  /// Whether the needle can stand where slots are part of it.
  ///
  /// Follows through the pattern how many of the needle's bytes can have been matched so far; a slot takes any
  /// number of the bytes that its kind can have, which is a little more than it really can.
  private func canSpan(
    _ slots: ArraySlice<TextPatterns.Slot>, tail: Range<Int>, _ literals: Span<UInt8>
  ) -> Bool {
    let needle = search.needle
    // Index n: the first n bytes of the needle can end here.
    var reached = [Bool](repeating: false, count: needle.count + 1)
    for slot in slots {
      guard pass(slot.literal, literals, &reached), let takes = slot.kind.alphabet else {
        return true
      }
      reached[0] = true
      var next = [Bool](repeating: false, count: reached.count)
      for matched in needle.indices where reached[matched] || next[matched] {
        if takes(needle[matched]) { next[matched + 1] = true }
      }
      reached = next
      if reached[needle.count] { return true }
    }
    return !pass(tail, literals, &reached) || reached[needle.count]
  }

  /// Moves over literal bytes, which are ASCII; false when the needle is complete.
  private func pass(
    _ range: Range<Int>, _ literals: Span<UInt8>, _ reached: inout [Bool]
  ) -> Bool {
    let needle = search.needle
    for index in range {
      let byte = literals[index].lowercasedASCII
      reached[0] = true
      for matched in needle.indices.reversed() {
        reached[matched + 1] = reached[matched] && needle[matched] == byte
      }
      if reached[needle.count] { return false }
    }
    return true
  }
}

/// A needle without what, at its ends, can stand in slots that are not text. Where no such slot fits inside, all of it
/// is part of one literal, since no such slot is ever empty.
struct NeedleCore: Sendable, Hashable {
  private let search: ByteSearch
  /// How many bytes of the needle come before it.
  let offset: Int
  private let longestDigits: Int
  private let longestHex: Int
  private let longestFraction: Int

  /// Nil when nothing is left.
  init?(_ needle: [UInt8]) {
    func isInSlots(_ byte: UInt8) -> Bool {
      SlotKind.hex(1).alphabet?(byte) ?? true || SlotKind.scaled.alphabet?(byte) ?? true
    }
    guard let first = needle.firstIndex(where: { !isInSlots($0) }),
      let last = needle.lastIndex(where: { !isInSlots($0) })
    else { return nil }
    let core = needle[first...last]
    offset = first
    func longestRun(_ kind: SlotKind) -> Int {
      core.split { byte in !(kind.alphabet?(byte) ?? true) }.map(\.count).max() ?? 0
    }
    longestDigits = longestRun(.number)
    longestHex = longestRun(.hex(1))
    longestFraction = longestRun(.scaled)
    search = ByteSearch(Array(core), ignoringCase: true)
  }

  /// The bytes, in lower case.
  var bytes: [UInt8] { search.needle }

  /// How many bytes it has.
  var count: Int { search.needle.count }

  /// Where in `text` it stands first, at `start` or after it.
  func firstPlace(in text: Span<UInt8>, from start: Int) -> Int? {
    search.firstIndex(in: text, from: start)
  }

  /// Whether one of these slots can stand within the core.
  func holds(oneOf kinds: TextPatterns.SlotKinds) -> Bool {
    kinds.leastDigits <= longestDigits || kinds.leastHex <= longestHex
      || kinds.hasFraction && longestFraction >= 1
  }
}

extension SlotKind {
  /// Whether a slot of this kind can have a byte, in lower case; nil when it can have anything.
  fileprivate var alphabet: ((UInt8) -> Bool)? {
    switch self {
    case .number, .digits: { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    case .hex, .upperHex:
      {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
    case .fraction, .scaled:
      { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }
    case .text: nil
    }
  }
}
