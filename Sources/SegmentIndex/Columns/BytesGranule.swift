internal import JournalKit

/// The texts of a granule, one after another in one array of bytes.
package struct BytesGranule: Sendable {
  /// All texts. Between `starts[i]` and `starts[i + 1]` is that of row `i`.
  package private(set) var bytes: [UInt8] = []
  /// Where each text begins, and where the last one ends.
  package private(set) var starts: [Int] = [0]

  package init() {}

  /// How many rows there are.
  package var count: Int { starts.count - 1 }

  /// Where the text of row `row` is in `bytes`.
  package func range(of row: Int) -> Range<Int> {
    starts[row]..<starts[row + 1]
  }

  /// The text of row `row`, counted from the granule's first.
  package subscript(row: Int) -> RawSpan {
    @_lifetime(borrow self)
    get { bytes.rawSpan.extracting(starts[row]..<starts[row + 1]) }
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    starts.append(0)
  }

  mutating func appendEmpty(_ count: Int) {
    for _ in 0..<count { starts.append(bytes.count) }
  }

  /// Appends a page; false when the content is not `byteCount` bytes or the lengths do not add up to that.
  mutating func append(
    _ lengths: PackedIntegers, byteCount: Int, form: UInt8, _ content: RawSpan
  ) -> Bool {
    let first = bytes.count
    var end = first
    for row in 0..<lengths.count {
      let length = lengths[row]
      guard length >= 0, length <= Int64(first + byteCount - end) else { return false }
      end += Int(length)
      starts.append(end)
    }
    guard end == first + byteCount else { return false }
    if form == 0 {
      guard content.byteCount == byteCount else { return false }
      bytes.append(content)
      return true
    }
    bytes.append(contentsOf: repeatElement(0, count: byteCount))
    return LZ4.decompress(content, into: &bytes, at: first, count: byteCount)
  }
}
