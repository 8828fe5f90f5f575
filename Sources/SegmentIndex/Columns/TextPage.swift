internal import JournalKit

/// A page of texts, taken apart; memory is kept from page to page.
struct TextPage {
  /// The code of each row's pattern.
  private(set) var codes: [UInt32] = []
  /// The bits of a text's length.
  private(set) var lengthWidth = 0
  /// The texts in slots, one after another.
  private var texts: [UInt8] = []

  /// Becomes a page whose texts are all empty.
  mutating func clear(rowCount: Int) {
    codes = [UInt32](repeating: 0, count: rowCount)
    lengthWidth = 0
    texts.removeAll(keepingCapacity: true)
  }

  /// Reads the codes of a page of `rowCount` rows; false when the bytes do not begin with them.
  mutating func readCodes(
    _ reader: inout ByteReader, rowCount: Int, patternCount: Int
  ) -> Bool {
    guard let packed = PackedIntegers(&reader, count: rowCount) else { return false }
    if codes.count != rowCount { codes = [UInt32](repeating: 0, count: rowCount) }
    packed.unpack(0..<rowCount, into: &codes)
    return codes.allSatisfy { $0 < patternCount }
  }

  /// Reads a whole page and returns the rows' bits; nil when the bytes are not one.
  @_lifetime(copy reader)
  mutating func read(
    _ reader: inout ByteReader, rowCount: Int, _ patterns: TextPatterns
  ) -> RawSpan? {
    guard readCodes(&reader, rowCount: rowCount, patternCount: patterns.count),
      let width = reader.byte(), width <= 32
    else { return nil }
    lengthWidth = Int(width)
    var bitCount = 0
    for code in codes {
      let pattern = patterns.patterns[Int(code)]
      bitCount += pattern.width + pattern.textCount * lengthWidth
    }
    guard let bits = reader.span((bitCount + 7) / 8) else { return nil }
    texts.removeAll(keepingCapacity: true)
    if reader.remaining > 0, !reader.compressible(into: &texts) { return nil }
    return reader.remaining == 0 ? bits : nil
  }

  /// Appends the texts of the rows; false when the texts in slots are more or less than their lengths say.
  ///
  /// - Parameter wanted: by code, whether the texts are of interest; the others come out empty.
  func append(
    to granule: inout TextGranule, _ bits: RawSpan, _ patterns: TextPatterns, wanted: [Bool]?
  ) -> Bool {
    var limit = granule.bytes.count + texts.count
    for code in codes { limit += patterns.patterns[Int(code)].maximumLength }
    var end = granule.bytes.count
    let spare = limit - end
    granule.bytes.append(contentsOf: repeatElement(0, count: spare))
    var bit = 0
    var text = 0
    for code in codes {
      let pattern = patterns.patterns[Int(code)]
      if let wanted, !wanted[Int(code)] {
        guard skip(pattern, patterns, bits, &bit, &text) else { return false }
      } else {
        guard write(pattern, patterns, bits, &bit, &text, &granule.bytes, &end)
        else { return false }
      }
      granule.starts.append(end)
    }
    granule.bytes.removeLast(granule.bytes.count - end)
    return text == texts.count
  }

  /// Writes the text of a row over `bytes` from `end` on. False when there is less text for its slots than it needs.
  @inline(__always)
  private func write(
    _ pattern: TextPatterns.Pattern, _ patterns: TextPatterns, _ bits: RawSpan, _ bit: inout Int,
    _ text: inout Int, _ bytes: inout [UInt8], _ end: inout Int
  ) -> Bool {
    let literals = patterns.literals.rawSpan
    for index in pattern.slots {
      let slot = patterns.slots[index]
      if !slot.literal.isEmpty {
        bytes.overwrite(at: end, with: literals.extracting(slot.literal))
        end += slot.literal.count
      }
      if slot.kind == .text {
        let length = Int(bits.bits(at: bit, width: lengthWidth))
        bit += lengthWidth
        guard length <= texts.count - text else { return false }
        bytes.overwrite(at: end, with: texts.rawSpan.extracting(text..<text + length))
        text += length
        end += length
      } else {
        let number = slot.base &+ bits.bits(at: bit, width: slot.width)
        bit += slot.width
        var output = bytes.mutableSpan
        end = slot.kind.write(number, to: &output, at: end)
      }
    }
    if !pattern.tail.isEmpty {
      bytes.overwrite(at: end, with: literals.extracting(pattern.tail))
      end += pattern.tail.count
    }
    return true
  }

  /// Goes past a row.
  @inline(__always)
  private func skip(
    _ pattern: TextPatterns.Pattern, _ patterns: TextPatterns, _ bits: RawSpan, _ bit: inout Int,
    _ text: inout Int
  ) -> Bool {
    guard pattern.textCount > 0 else {
      bit += pattern.width
      return true
    }
    for index in pattern.slots {
      guard patterns.slots[index].kind == .text else {
        bit += patterns.slots[index].width
        continue
      }
      text += Int(bits.bits(at: bit, width: lengthWidth))
      bit += lengthWidth
    }
    return text <= texts.count
  }

  /// Appends for each row the number in one of its slots; 0 for patterns of which none is asked for.
  ///
  /// - Parameter places: by code, where the slot's bits are.
  func append(
    _ places: [SlotPlace?], to numbers: inout [UInt64], _ bits: RawSpan, _ patterns: TextPatterns
  ) {
    var bit = 0
    for code in codes {
      let pattern = patterns.patterns[Int(code)]
      if let place = places[Int(code)] {
        let at = bit + place.width + place.textCount * lengthWidth
        numbers.append(place.slot.base &+ bits.bits(at: at, width: place.slot.width))
      } else {
        numbers.append(0)
      }
      bit += pattern.width + pattern.textCount * lengthWidth
    }
  }
}

/// Where the bits of a slot are within those of a row.
struct SlotPlace {
  let slot: TextPatterns.Slot
  /// The bits of the slots before it, but for texts.
  let width: Int
  /// How many slots before it are text.
  let textCount: Int

  /// The place of slot `index`, counted within `pattern`.
  init(_ index: Int, of pattern: TextPatterns.Pattern, _ patterns: TextPatterns) {
    let slots = patterns.slots[pattern.slots]
    let before = slots.prefix(index)
    slot = slots[slots.startIndex + index]
    width = before.reduce(0) { $0 + $1.width }
    textCount = before.count { $0.kind == .text }
  }
}
