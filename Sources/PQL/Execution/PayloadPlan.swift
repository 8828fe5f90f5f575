internal import SegmentIndex

/// How to get at the value at one path of the payload, for each of the payloads' patterns.
struct PayloadPlan {
  /// Where the value is in payloads of one pattern.
  private enum Place {
    case missing
    case constant(Value)
    case number(SlotKind, isNegative: Bool)
    /// Only the text of each payload tells.
    case text

    /// Whether the value is a whole number, or none.
    var isWhole: Bool {
      switch self {
      case .missing, .constant(.int), .number(.number, _): true
      case .constant, .number, .text: false
      }
    }
  }

  let path: [Path.Segment]
  /// By code.
  private var places: [Place] = []
  /// By code, the slot whose number is the value.
  private(set) var slots: [Int?] = []
  /// By code, whether the text is needed.
  private(set) var wantsText: [Bool] = []
  private(set) var needsTexts = false
  /// By code, 0 where the number is the value, 2 where that need not be whole, else 1.
  private var remarks: [UInt8] = []

  init(_ path: [Path.Segment], _ patterns: TextPatterns) {
    self.path = path
    for pattern in patterns.patterns {
      let sample = PatternSample(pattern, of: patterns)
      let (place, slot) = Self.place(of: path, in: sample)
      places.append(place)
      slots.append(slot)
      if case .number(.number, isNegative: false) = place {
        remarks.append(0)
      } else {
        remarks.append(place.isWhole ? 1 : 2)
      }
      if case .text = place {
        wantsText.append(true)
        needsTexts = true
      } else {
        wantsText.append(false)
      }
    }
  }

  /// The value in a payload of pattern `code`, unless its text is needed for that.
  ///
  /// - Parameter number: the one in the slot that `slots` names.
  func value(_ code: UInt32, _ number: UInt64) -> Value? {
    switch places[Int(code)] {
    case .missing, .text: nil
    case .constant(let value): value
    case .number(let kind, let isNegative):
      kind.jsonNumber(number, isNegative: isNegative).map { number in
        switch number {
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        }
      }
    }
  }

  /// Makes `integers`, which are the numbers of payloads with these codes, their values, if all are whole, and
  /// `presence` which payloads have one: nil when all have, else one bit a payload. False, and nothing is changed, when
  /// some value is not whole.
  func wholeNumbers(
    _ codes: [UInt32], _ integers: inout [Int64], _ presence: inout [UInt64]?
  ) -> Bool {
    presence = nil
    let remarks = remarks.span
    var remark: UInt8 = 0
    for code in codes { remark |= remarks[Int(code)] }
    // Mostly there is no more to do than to take the numbers.
    if remark == 0 { return true }
    guard remark & 2 == 0 else { return false }
    var output = integers.mutableSpan
    for row in codes.indices where remarks[Int(codes[row])] != 0 {
      if case .int(let value)? = value(codes[row], UInt64(bitPattern: output[row])) {
        output[row] = value
      } else {
        output[row] = 0
        var words = presence ?? [UInt64](repeating: .max, count: (codes.count + 63) / 64)
        words[row / 64] &= ~(1 << UInt64(row % 64))
        presence = words
      }
    }
    return true
  }

  private static func place(
    of path: [Path.Segment], in sample: PatternSample
  ) -> (Place, slot: Int?) {
    let text = sample.text.span
    var scanner = unsafe JSONScanner(text.bytes, depthLimit: 512)
    do throws(JSONError) {
      for segment in path {
        guard try scanner.descend(to: segment) else {
          return (sample.isReadAlike(to: text.count) ? .missing : .text, nil)
        }
      }
      guard try scanner.peek() != .end else { return (.text, nil) }
      let range = try scanner.skipValue()
      guard sample.isReadAlike(to: range.upperBound) else { return (.text, nil) }
      guard let slot = sample.places.firstIndex(where: { range.contains($0) }) else {
        guard let value = jsonValue(at: path, in: text) else { return (.text, nil) }
        return (.constant(value), nil)
      }
      let isNegative = text[range.lowerBound] == UInt8(ascii: "-")
      guard range.count == (isNegative ? 2 : 1), sample.slots[slot].isJSONNumber
      else { return (.text, nil) }
      return (.number(sample.slots[slot].kind, isNegative: isNegative), slot)
    } catch {
      return (.text, nil)
    }
  }
}

/// The text of a pattern with a `1` in each slot: its JSON has the shape that all payloads of the pattern have, if
/// `isReadAlike` says so.
private struct PatternSample {
  private(set) var text: [UInt8] = []
  private(set) var slots: [TextPatterns.Slot] = []
  /// Where in `text` each slot is.
  private(set) var places: [Int] = []

  init(_ pattern: TextPatterns.Pattern, of patterns: TextPatterns) {
    for slot in patterns.slots[pattern.slots] {
      text += patterns.literals[slot.literal]
      places.append(text.count)
      slots.append(slot)
      text.append(UInt8(ascii: "1"))
    }
    text += patterns.literals[pattern.tail]
  }

  /// Whether the bytes before `end` are read the same way whatever is in the slots among them: those within strings,
  /// but not in keys, have no quotes, and the others are whole numbers or fractions that nothing else adjoins.
  func isReadAlike(to end: Int) -> Bool {
    var isInString = false
    var stringHasSlot = false
    var nextSlot = 0
    var at = 0
    while at < end {
      let isSlot = nextSlot < places.count && places[nextSlot] == at
      if isSlot {
        let slot = slots[nextSlot]
        nextSlot += 1
        if isInString {
          guard slot.kind != .text else { return false }
          stringHasSlot = true
        } else {
          guard slot.isJSONNumber, isDelimited(at) else { return false }
        }
      } else if text[at] == UInt8(ascii: "\"") {
        if isInString, stringHasSlot, isKey(endingAt: at) { return false }
        isInString.toggle()
        stringHasSlot = false
      } else if isInString, text[at] == UInt8(ascii: "\\") {
        // What is escaped may be a quote; a slot there may be anything.
        at += 1
        if nextSlot < places.count, places[nextSlot] == at { return false }
      }
      at += 1
    }
    return true
  }

  private func isDelimited(_ place: Int) -> Bool {
    let before: [UInt8] = Array(":,[- \t\r\n".utf8)
    let after: [UInt8] = Array(",]} \t\r\n".utf8)
    return (place == 0 || before.contains(text[place - 1]))
      && (place + 1 == text.count || after.contains(text[place + 1]))
  }

  private func isKey(endingAt quote: Int) -> Bool {
    let rest = text[(quote + 1)...].drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
    return rest.first == UInt8(ascii: ":")
  }
}
