internal import JournalKit

/// What the texts of a column have in common: patterns, each some literal bytes with slots between them.
///
/// A row has the code of its pattern, and for each slot a number. Pattern 0 is one slot of text and no literals, for
/// texts that are like no others. The patterns from 1 on are in a block:
///
///     for each: varint slots; for each slot: varint literal bytes before it, its kind (see `SlotKind`), and unless it
///         is text u8 width and varint base; varint literal bytes after the last slot
///     the literal bytes of all, as `compressible` bytes
///
/// The number of a slot is its base plus `width` bits of the row.
package struct TextPatterns: Sendable {
  /// A place at which texts of a pattern differ.
  package struct Slot: Sendable {
    /// How its numbers stand for text.
    package let kind: SlotKind
    /// The bits of each number; of text the page says how many.
    let width: Int
    let base: UInt64
    /// Where, in `literals`, the bytes before it are.
    package let literal: Range<Int>
  }

  /// One pattern.
  package struct Pattern: Sendable {
    /// Which of `slots` it has.
    package let slots: Range<Int>
    /// Where, in `literals`, the bytes after the last slot are.
    package let tail: Range<Int>
    /// Where, in `literals`, all of its literals are, one after another.
    package let literals: Range<Int>
    /// The bits of a row, but for those of texts.
    let width: Int
    /// How many of its slots are text.
    let textCount: Int
    /// Whether one is.
    package var hasText: Bool { textCount > 0 }
    /// The most bytes of a row, but for texts.
    let maximumLength: Int
    /// What its slots but for texts can be.
    package let slotKinds: SlotKinds
  }

  /// How many bits rows have.
  struct RowSize {
    /// But for those of texts.
    private var width: UInt32 = 0
    /// How many lengths of texts.
    private var textCount: UInt32 = 0

    /// No rows.
    init() {}

    /// A row of a pattern.
    init(width: Int, textCount: Int) {
      self.width = UInt32(width)
      self.textCount = UInt32(textCount)
    }

    /// Adds other rows; those of a page have far fewer bits than overflow.
    @inline(__always)
    mutating func add(_ other: RowSize) {
      width &+= other.width
      textCount &+= other.textCount
    }

    /// All bits, with so many for the length of a text.
    func bitCount(lengthWidth: Int) -> Int {
      Int(width) + Int(textCount) * lengthWidth
    }
  }

  /// The shortest of the slots of a pattern.
  package struct SlotKinds: Sendable {
    /// The fewest decimal digits of a slot that has only those; `Int.max` when none has.
    package private(set) var leastDigits = Int.max
    /// The same of hexadecimal digits.
    package private(set) var leastHex = Int.max
    /// Whether one can have a point.
    package private(set) var hasFraction = false

    fileprivate mutating func add(_ kind: SlotKind) {
      switch kind {
      case .number: leastDigits = 1
      case .digits(let count): leastDigits = min(leastDigits, count)
      case .hex(let count), .upperHex(let count): leastHex = min(leastHex, count)
      case .fraction, .scaled: hasFraction = true
      case .text: break
      }
    }
  }

  /// The most slots of a pattern.
  static let maximumSlotCount = 64
  /// The most literal bytes of a pattern: with the one before it bounds what a row can decode to.
  static let maximumLiteralCount = 4096

  /// By code.
  package private(set) var patterns: [Pattern] = []
  /// By code, the size of a row: close together for those that add up many.
  private(set) var rowSizes: [RowSize] = []
  /// Those of all patterns.
  package private(set) var slots: [Slot] = []
  /// Those of all patterns.
  package private(set) var literals: [UInt8] = []

  /// Whether all literals are ASCII.
  package private(set) var isASCII = true

  /// What the slots of all patterns, but for texts, can be.
  package private(set) var slotKinds = SlotKinds()

  /// How many patterns have slots of text; pattern 0 is one.
  package private(set) var textPatternCount = 1

  /// The code of the pattern that has the byte of `literals` at this offset.
  package func code(ofLiteralAt offset: Int) -> Int {
    // The first one whose literals end behind it: they stand in the order of the patterns.
    patterns.indices.partitionPoint { patterns[$0].literals.upperBound <= offset }
  }

  /// How many codes there are.
  package var count: Int { patterns.count }

  /// The patterns of a column in which all rows have code 0.
  init() {
    slots = [Slot(kind: .text, width: 0, base: 0, literal: 0..<0)]
    patterns = [
      Pattern(
        slots: 0..<1, tail: 0..<0, literals: 0..<0, width: 0, textCount: 1, maximumLength: 0,
        slotKinds: SlotKinds())
    ]
    rowSizes = [RowSize(width: 0, textCount: 1)]
  }

  /// Reads a block with `count` patterns besides pattern 0; nil when the bytes are not one.
  package init?(_ bytes: RawSpan, count: Int) {
    self.init()
    var reader = ByteReader(bytes)
    // A pattern takes two bytes at least.
    guard count >= 0, count <= bytes.byteCount / 2 else { return nil }
    patterns.reserveCapacity(count + 1)
    rowSizes.reserveCapacity(count + 1)
    var literalCount = 0
    for _ in 0..<count {
      guard readPattern(&reader, &literalCount) else { return nil }
    }
    guard reader.compressible(into: &literals), reader.remaining == 0,
      literals.count == literalCount
    else { return nil }
    isASCII = literals.allSatisfy { $0 < 0x80 }
  }

  private mutating func readPattern(_ reader: inout ByteReader, _ literalCount: inout Int) -> Bool {
    guard let slotCount = reader.count(atMost: Self.maximumSlotCount) else { return false }
    let firstSlot = slots.count
    let firstLiteral = literalCount
    var (width, textCount, maximumLength) = (0, 0, 0)
    var kinds = SlotKinds()
    for _ in 0..<slotCount {
      guard let literal = reader.count(atMost: Self.maximumLiteralCount),
        let kind = SlotKind(&reader)
      else { return false }
      let range = literalCount..<literalCount + literal
      literalCount += literal
      maximumLength += kind.maximumLength
      kinds.add(kind)
      slotKinds.add(kind)
      guard kind != .text else {
        if textCount == 0 { textPatternCount += 1 }
        textCount += 1
        slots.append(Slot(kind: kind, width: 0, base: 0, literal: range))
        continue
      }
      guard let bits = reader.byte(), bits <= 64, let base = reader.varint() else { return false }
      width += Int(bits)
      slots.append(Slot(kind: kind, width: Int(bits), base: base, literal: range))
    }
    guard let tail = reader.count(atMost: Self.maximumLiteralCount) else { return false }
    let tailRange = literalCount..<literalCount + tail
    literalCount += tail
    let ownCount = literalCount - firstLiteral
    guard ownCount <= Self.maximumLiteralCount else { return false }
    rowSizes.append(RowSize(width: width, textCount: textCount))
    patterns.append(
      Pattern(
        slots: firstSlot..<slots.count, tail: tailRange, literals: firstLiteral..<literalCount,
        width: width, textCount: textCount,
        maximumLength: maximumLength + ownCount, slotKinds: kinds))
    return true
  }
}

extension ByteReader {
  /// Reads what `ByteWriter.compressible` writes over `bytes`; false when there is nothing like it.
  mutating func compressible(into bytes: inout [UInt8]) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    guard let form = byte(), form <= 1 else { return false }
    // No more than what follows can stand for.
    let (limit, overflow) = remaining.multipliedReportingOverflow(
      by: form == 0 ? 1 : LZ4.maximumRatio)
    guard !overflow, let count = count(atMost: limit) else { return false }
    if form == 0 {
      guard let content = span(count) else { return false }
      bytes.append(content)
      return true
    }
    guard let content = span(remaining) else { return false }
    bytes.append(contentsOf: repeatElement(0, count: count))
    return LZ4.decompress(content, into: &bytes, at: 0, count: count)
  }
}

extension ByteWriter {
  /// Appends bytes as the last of a block: u8 form, varint how many they are, and the bytes, as they are (form 0) or
  /// with LZ4 (form 1), whichever is shorter.
  mutating func compressible(_ content: [UInt8]) {
    let start = count
    byte(1)
    varint(UInt64(content.count))
    let head = count - start
    LZ4.compress(content.rawSpan, into: &self)
    if count - start - head >= content.count {
      bytes.removeSubrange((start + head)...)
      bytes[start] = 0
      bytes += content
    }
  }
}
