internal import JournalKit

extension TextColumnBuilder {
  /// Writes the column's blocks, and last its own, whose handle is returned.
  consuming func write(to writer: inout ByteWriter, order: RowOrder) -> BlockHandle {
    var pages = TextPagesWriter(self, order: order)
    var list = BlockListWriter()
    let pageCount = SegmentFormat.partCount(
      size: SegmentFormat.pageRowCount, rowCount: order.count)
    for page in 0..<pageCount {
      let rows = SegmentFormat.rows(
        ofPart: page, size: SegmentFormat.pageRowCount, rowCount: order.count)
      let isEmpty = pages.gather(rows)
      list.append(isEmpty ? nil : writer.block { pages.write(to: &$0) })
    }
    var indexes = BlockListWriter()
    indexes.append(writer.block { pages.writePatterns(to: &$0) })
    indexes.append(writer.block { pages.writePostings(to: &$0) })
    return writer.block {
      $0.byte(ColumnKind.texts.rawValue)
      $0.varint(UInt64(pages.patternCount - 1))
      indexes.write(to: &$0)
      list.write(to: &$0)
    }
  }
}

/// Writes the pages of a column of texts.
private struct TextPagesWriter {
  /// A pattern on a single row does not pay. One on two does: its literals are compressed together with those of all
  /// other patterns, and not with the few texts of a page.
  private static let minimumRowCount = 2

  /// What is to be known of a pattern for each of its rows.
  private struct Layout {
    /// 0 for those that do not pay.
    let code: UInt32
    let slotCount: Int
    let hasText: Bool
  }

  private let column: TextColumnBuilder
  private let order: RowOrder
  /// By code, the number of the pattern and where its slots are.
  private var used: [(pattern: Int, slots: Range<Int>)] = []
  /// Those of all used patterns.
  private var slots: [TextPatterns.Slot] = []
  private var layouts: [Layout] = []
  /// By row, which of the rows of its pattern it is; empty when rows keep their places.
  private var indexes: [UInt32] = []
  /// By pattern, how many of its rows have been written, when rows keep their places.
  private var written: [Int]
  private var postings: PostingCollector

  private var granuleCodes: [Int64] = []
  private var codes: [Int64] = []
  private var lengths: [Int] = []
  private var texts: [UInt8] = []
  private var bits = BitWriter()
  /// Of each row of the page, where its numbers are among those of its pattern.
  private var numbers: [Range<Int>] = []

  init(_ column: consuming TextColumnBuilder, order: RowOrder) {
    var column = column
    self.order = order
    for index in column.patterns.indices {
      let isUsed = index == 0 || column.patterns[index].rowCount >= Self.minimumRowCount
      let hasText = !isUsed || column.patterns[index].slots.contains { $0.kind == .text }
      layouts.append(
        Layout(
          code: isUsed ? UInt32(used.count) : 0, slotCount: column.patterns[index].slots.count,
          hasText: hasText))
      guard isUsed else { continue }
      let start = slots.count
      slots += column.patterns[index].finish()
      used.append((index, start..<slots.count))
    }
    written = [Int](repeating: 0, count: column.patterns.count)
    if order.rows != nil {
      indexes.reserveCapacity(order.count)
      for pattern in column.patternOfRow {
        indexes.append(UInt32(written[Int(pattern)]))
        written[Int(pattern)] += 1
      }
    }
    postings = PostingCollector(termCount: used.count)
    self.column = column
  }

  /// How many codes there are.
  var patternCount: Int { used.count }
}

// MARK: - Pages

extension TextPagesWriter {
  /// Gathers what the page of `rows` has; returns whether its texts are all empty.
  mutating func gather(_ rows: Range<Int>) -> Bool {
    codes.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    for place in rows {
      let row = order.row(at: place)
      let pattern = Int(column.patternOfRow[row])
      let layout = layouts[pattern]
      let start = nextIndex(row, pattern) * layout.slotCount
      let range = start..<start + layout.slotCount
      codes.append(Int64(layout.code))
      numbers.append(range)
      guard layout.hasText else { continue }
      gatherTexts(pattern, range, isWhole: layout.code == 0 && pattern > 0)
    }
    granuleCodes += codes
    let granuleRowCount = SegmentFormat.granuleRowCount
    if rows.upperBound == order.count || rows.upperBound % granuleRowCount == 0 {
      _ = postings.add(granuleCodes, granule: rows.lowerBound / granuleRowCount)
      granuleCodes.removeAll(keepingCapacity: true)
    }
    return texts.isEmpty && codes.allSatisfy { $0 == 0 }
  }

  /// Which of the rows of its pattern `row` is. To be asked for each row in order.
  private mutating func nextIndex(_ row: Int, _ pattern: Int) -> Int {
    if !indexes.isEmpty { return Int(indexes[row]) }
    defer { written[pattern] += 1 }
    return written[pattern]
  }

  /// Gathers the texts of a row's slots, or of a row whose pattern does not pay the whole text.
  private mutating func gatherTexts(_ pattern: Int, _ range: Range<Int>, isWhole: Bool) {
    let start = texts.count
    if isWhole {
      column.appendText(pattern, range, to: &texts)
      lengths.append(texts.count - start)
      return
    }
    let slots = column.patterns[pattern].slots
    let kept = column.kept
    for (slot, at) in zip(slots, range) where slot.kind == .text {
      let text = kept.range(column.patterns[pattern].numbers[at])
      texts.append(kept.bytes.rawSpan.extracting(text))
      lengths.append(text.count)
    }
  }

  /// Writes the page that was gathered.
  mutating func write(to writer: inout ByteWriter) {
    let lengthWidth = Int.bitWidth - (lengths.max() ?? 0).leadingZeroBitCount
    writer.packedIntegers(codes)
    writer.byte(UInt8(lengthWidth))
    var nextLength = 0
    for (code, range) in zip(codes, numbers) {
      let (pattern, places) = used[Int(code)]
      // A row whose pattern does not pay has another number of slots.
      for place in places {
        let slot = slots[place]
        if slot.kind == .text {
          bits.append(UInt64(lengths[nextLength]), width: lengthWidth)
          nextLength += 1
        } else {
          let at = range.lowerBound + place - places.lowerBound
          let number = column.patterns[pattern].numbers[at]
          bits.append(number - slot.base, width: slot.width)
        }
      }
    }
    bits.finish(into: &writer)
    if !texts.isEmpty { writer.compressible(texts) }
  }
}

// MARK: - Patterns

extension TextPagesWriter {
  /// Writes the block that `TextPatterns` reads.
  func writePatterns(to writer: inout ByteWriter) {
    var literals: [UInt8] = []
    for (pattern, places) in used.dropFirst() {
      let slots = slots[places]
      let key = column.keys[column.patterns[pattern].key]
      writer.varint(UInt64(slots.count))
      var start = 0
      for slot in slots {
        let end = key.firstIndex(of: 0, from: start) ?? key.byteCount
        writer.varint(UInt64(end - start))
        slot.kind.write(to: &writer)
        if slot.kind != .text {
          writer.byte(UInt8(slot.width))
          writer.varint(slot.base)
        }
        literals.append(key.extracting(start..<end))
        start = end + 1
      }
      writer.varint(UInt64(key.byteCount - start))
      literals.append(key.extracting(start..<key.byteCount))
    }
    writer.compressible(literals)
  }

  /// Writes on how many rows and in which granules each pattern is.
  func writePostings(to writer: inout ByteWriter) {
    let granuleCount = SegmentFormat.partCount(
      size: SegmentFormat.granuleRowCount, rowCount: order.count)
    postings.write(to: &writer, granuleCount: granuleCount)
  }
}

extension TextColumnBuilder {
  /// Appends the text of the row of `pattern` whose numbers are at `range`.
  fileprivate func appendText(_ pattern: Int, _ range: Range<Int>, to texts: inout [UInt8]) {
    let key = keys[patterns[pattern].key]
    var start = 0
    for (slot, at) in zip(patterns[pattern].slots, range) {
      let end = key.firstIndex(of: 0, from: start) ?? key.byteCount
      texts.append(key.extracting(start..<end))
      start = end + 1
      let number = patterns[pattern].numbers[at]
      if slot.kind == .text {
        texts.append(kept.bytes.rawSpan.extracting(kept.range(number)))
      } else {
        let offset = texts.count
        texts.append(contentsOf: repeatElement(0, count: slot.kind.maximumLength))
        var output = texts.mutableSpan
        let textEnd = slot.kind.write(number, to: &output, at: offset)
        texts.removeLast(texts.count - textEnd)
      }
    }
    texts.append(key.extracting(start..<key.byteCount))
  }
}
