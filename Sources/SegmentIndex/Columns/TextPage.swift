internal import JournalKit

/// A page of texts, taken apart; memory is kept from page to page.
struct TextPage {
  /// The code of each row's pattern.
  private(set) var codes: [UInt32] = []
  /// Whether all rows have the same pattern.
  private var isUniform = false
  /// The bits of a text's length.
  private(set) var lengthWidth = 0
  /// The texts in slots, one after another.
  private var texts: [UInt8] = []

  /// Becomes a page whose texts are all empty.
  mutating func clear(rowCount: Int) {
    codes = [UInt32](repeating: 0, count: rowCount)
    isUniform = true
    lengthWidth = 0
    texts.removeAll(keepingCapacity: true)
  }

  /// Reads the codes of a page of `rowCount` rows; false when the bytes do not begin with them.
  mutating func readCodes(
    _ reader: inout ByteReader, rowCount: Int, patternCount: Int
  ) -> Bool {
    guard let packed = PackedIntegers(&reader, count: rowCount) else { return false }
    return unpack(packed, 0..<rowCount, patternCount: patternCount)
  }

  /// Takes the codes of these rows of the page; those of others may then be any, or what they were. False when one is no
  /// code.
  private mutating func unpack(
    _ packed: PackedIntegers, _ rows: Range<Int>, patternCount: Int
  ) -> Bool {
    codes.resize(to: packed.count)
    isUniform = packed.isConstant
    if isUniform, let first = rows.first {
      let code = UInt32(truncatingIfNeeded: packed[first])
      var output = codes.mutableSpan
      for row in rows { output[row] = code }
      return code < patternCount
    }
    packed.unpack(rows, into: &codes, at: rows.lowerBound)
    let taken = codes.span.extracting(rows)
    var greatest: UInt32 = 0
    for index in taken.indices { greatest = max(greatest, taken[index]) }
    return greatest < patternCount
  }

  /// Reads a whole page and returns the rows' bits; nil when the bytes are not one.
  ///
  /// - Parameter readsTexts: whether the texts in slots are wanted.
  @_lifetime(copy reader)
  mutating func read(
    _ reader: inout ByteReader, rowCount: Int, _ patterns: TextPatterns, readsTexts: Bool = true
  ) -> RawSpan? {
    guard readCodes(&reader, rowCount: rowCount, patternCount: patterns.count),
      let width = reader.byte(), width <= 32
    else { return nil }
    lengthWidth = Int(width)
    return readBitsAndTexts(&reader, patterns, readsTexts: readsTexts)
  }

  /// Reads what is behind the codes, which have all been read, and returns the rows' bits.
  @_lifetime(copy reader)
  private mutating func readBitsAndTexts(
    _ reader: inout ByteReader, _ patterns: TextPatterns, readsTexts: Bool = true
  ) -> RawSpan? {
    let bitCount = bitCount(ofRows: codes.indices, patterns)
    guard let bits = reader.span((bitCount + 7) / 8) else { return nil }
    texts.removeAll(keepingCapacity: true)
    if !readsTexts { return bits }
    if reader.remaining > 0, !reader.compressible(into: &texts) { return nil }
    return reader.remaining == 0 ? bits : nil
  }

  /// Appends the texts of the rows; false when the texts in slots are more or less than their lengths say.
  ///
  /// - Parameters:
  ///   - wanted: by code, whether the texts are of interest; nil for all.
  ///   - rows: one bit a row, whether its text is of interest; nil for all. Texts of no interest come out empty.
  func append(
    to granule: inout TextGranule, _ bits: RawSpan, _ patterns: TextPatterns, wanted: [Bool]?,
    rows: ArraySlice<UInt64>?
  ) -> Bool {
    var limit = texts.count
    let all = patterns.patterns.span
    for row in codes.indices where isWanted(row, wanted, rows) {
      limit += all[Int(codes[row])].maximumLength
    }
    var place = RowPlace()
    let isRead = granule.append(atMost: limit) { output, end, starts in
      let texts = texts.rawSpan
      let all = patterns.patterns.span
      for row in codes.indices {
        let pattern = all[Int(codes[row])]
        if isWanted(row, wanted, rows) {
          guard write(pattern, &place, to: &output, at: &end, bits, patterns, texts)
          else { return false }
        } else {
          guard skip(pattern, &place, bits, patterns.slots.span) else { return false }
        }
        starts.append(end)
      }
      return true
    }
    return isRead && place.text == texts.count
  }

  @inline(__always)
  private func isWanted(_ row: Int, _ wanted: [Bool]?, _ rows: ArraySlice<UInt64>?) -> Bool {
    if let rows, rows[rows.startIndex + row / 64] >> UInt64(row % 64) & 1 == 0 { return false }
    return wanted?[Int(codes[row])] ?? true
  }

  /// Appends the texts of these rows, ascending, and of no others; reads no more of the page than it must. False when
  /// the bytes are not a page.
  mutating func appendTexts(
    of rows: [Int], to granule: inout TextGranule, _ reader: inout ByteReader, rowCount: Int,
    _ patterns: TextPatterns
  ) -> Bool {
    guard let last = rows.last else { return true }
    guard let packed = PackedIntegers(&reader, count: rowCount),
      unpack(packed, 0..<last + 1, patternCount: patterns.count),
      let width = reader.byte(), width <= 32
    else { return false }
    lengthWidth = Int(width)
    texts.removeAll(keepingCapacity: true)
    let all = patterns.patterns.span
    var (limit, needsTexts) = (0, false)
    for row in rows {
      let pattern = all[Int(codes[row])]
      limit += pattern.maximumLength
      needsTexts = needsTexts || pattern.hasText
    }
    let bits: RawSpan?
    if needsTexts {
      // Where the texts in slots begin says only the whole page.
      guard unpack(packed, last + 1..<rowCount, patternCount: patterns.count)
      else { return false }
      bits = readBitsAndTexts(&reader, patterns)
      limit += texts.count
    } else {
      bits = reader.span(reader.remaining)
    }
    guard let bits else { return false }
    var place = RowPlace()
    return granule.append(atMost: limit) { output, end, starts in
      let texts = texts.rawSpan
      var next = 0
      for row in rows {
        if needsTexts {
          guard skipRows(next..<row, &place, bits, patterns) else { return false }
        } else {
          place.bit += bitCount(ofRows: next..<row, patterns)
        }
        let pattern = all[Int(codes[row])]
        guard fits(pattern, place, bits),
          write(pattern, &place, to: &output, at: &end, bits, patterns, texts)
        else { return false }
        starts.append(end)
        next = row + 1
      }
      return true
    }
  }

  /// How many bits these rows have.
  @inline(__always)
  private func bitCount(ofRows rows: Range<Int>, _ patterns: TextPatterns) -> Int {
    let sizes = patterns.rowSizes.span
    let codes = codes.span
    if isUniform, let first = rows.first {
      return sizes[Int(codes[first])].bitCount(lengthWidth: lengthWidth) * rows.count
    }
    var size = TextPatterns.RowSize()
    for row in rows { size.add(sizes[Int(codes[row])]) }
    return size.bitCount(lengthWidth: lengthWidth)
  }

  /// Goes past rows; false when their bits are not there.
  @inline(__always)
  private func skipRows(
    _ rows: Range<Int>, _ place: inout RowPlace, _ bits: RawSpan, _ patterns: TextPatterns
  ) -> Bool {
    let (all, slots) = (patterns.patterns.span, patterns.slots.span)
    for row in rows {
      let pattern = all[Int(codes[row])]
      if pattern.textCount == 0 {
        place.bit += pattern.width
      } else {
        guard fits(pattern, place, bits) else { return false }
        place.skip(pattern, slots, bits, lengthWidth: lengthWidth)
      }
    }
    return true
  }

  /// Whether the bits of a row are there.
  @inline(__always)
  private func fits(
    _ pattern: TextPatterns.Pattern, _ place: RowPlace, _ bits: RawSpan
  ) -> Bool {
    place.bit + pattern.width + pattern.textCount * lengthWidth <= bits.byteCount * 8
  }

  /// Writes the text of the row at `place`, and moves that to the next row.
  @inline(__always)
  private func write(
    _ pattern: TextPatterns.Pattern, _ place: inout RowPlace, to output: inout MutableSpan<UInt8>,
    at end: inout Int, _ bits: RawSpan, _ patterns: TextPatterns, _ texts: RawSpan
  ) -> Bool {
    let slots = patterns.slots.span
    let literals = patterns.literals.rawSpan
    for index in pattern.slots {
      let slot = slots[index]
      output.overwrite(at: end, with: literals, slot.literal)
      end += slot.literal.count
      if slot.kind.isText {
        let length = Int(bits.bits(at: place.bit, width: lengthWidth))
        place.bit += lengthWidth
        guard length <= texts.byteCount - place.text else { return false }
        output.overwrite(at: end, with: texts, place.text..<place.text + length)
        place.text += length
        end += length
      } else {
        let number = slot.base &+ bits.bits(at: place.bit, width: slot.width)
        place.bit += slot.width
        end = slot.kind.write(number, to: &output, at: end)
      }
    }
    output.overwrite(at: end, with: literals, pattern.tail)
    end += pattern.tail.count
    return true
  }

  /// Goes past a row.
  @inline(__always)
  private func skip(
    _ pattern: TextPatterns.Pattern, _ place: inout RowPlace, _ bits: RawSpan,
    _ slots: Span<TextPatterns.Slot>
  ) -> Bool {
    guard pattern.textCount > 0 else {
      place.bit += pattern.width
      return true
    }
    place.skip(pattern, slots, bits, lengthWidth: lengthWidth)
    return place.text <= texts.count
  }

  /// Puts for each row the number in one of its slots into `numbers` from `start` on; 0 for patterns of which none is
  /// asked for.
  ///
  /// - Parameter places: by code, where the slot's bits are.
  func write(
    _ places: [SlotPlace.Bits], to numbers: inout [Int64], at start: Int, _ bits: RawSpan
  ) {
    var output = numbers.mutableSpan
    let places = places.span
    let codes = codes.span
    if isUniform {
      let place = places[Int(codes[0])]
      var at = place.offset
      for index in start..<start + codes.count {
        output[index] = Int64(bitPattern: place.base &+ bits.bits(at: at, width: place.width))
        at &+= place.rowWidth
      }
      return
    }
    var bit = 0
    for row in codes.indices {
      let place = places[Int(codes[row])]
      let number = bits.bits(at: bit &+ place.offset, width: place.width)
      output[start &+ row] = Int64(bitPattern: place.base &+ number)
      bit &+= place.rowWidth
    }
  }
}

/// Where a row of a page begins.
private struct RowPlace {
  /// Its first bit.
  var bit = 0
  /// Its first byte of the texts in slots.
  var text = 0

  /// Moves past a row whose bits are there.
  @inline(__always)
  mutating func skip(
    _ pattern: TextPatterns.Pattern, _ slots: Span<TextPatterns.Slot>, _ bits: RawSpan,
    lengthWidth: Int
  ) {
    for index in pattern.slots {
      guard slots[index].kind.isText else {
        bit += slots[index].width
        continue
      }
      text += Int(bits.bits(at: bit, width: lengthWidth))
      bit += lengthWidth
    }
  }
}

/// Where the bits of a slot are within those of a row.
struct SlotPlace {
  /// The bits of the slots before it, but for texts.
  private(set) var offset = 0
  /// How many slots before it are text.
  private(set) var textOffset = 0
  /// Its own bits; none when no slot is asked for.
  private(set) var width = 0
  private(set) var base: UInt64 = 0
  /// The bits of the whole row, but for texts.
  let rowWidth: Int
  /// How many slots of the row are text.
  let rowTextCount: Int

  /// The same for pages whose texts have lengths of so many bits.
  struct Bits {
    let offset: Int
    let width: Int
    let base: UInt64
    /// The bits of the whole row.
    let rowWidth: Int
  }

  func bits(lengthWidth: Int) -> Bits {
    Bits(
      offset: offset + textOffset * lengthWidth, width: width, base: base,
      rowWidth: rowWidth + rowTextCount * lengthWidth)
  }

  /// The place of slot `index`, counted within `pattern`, if one is asked for.
  init(_ index: Int?, of pattern: TextPatterns.Pattern, _ patterns: TextPatterns) {
    rowWidth = pattern.width
    rowTextCount = pattern.textCount
    guard let index else { return }
    let slots = patterns.slots[pattern.slots]
    let before = slots.prefix(index)
    let slot = slots[slots.startIndex + index]
    offset = before.reduce(0) { $0 + $1.width }
    textOffset = before.count { $0.kind == .text }
    width = slot.width
    base = slot.base
  }
}
