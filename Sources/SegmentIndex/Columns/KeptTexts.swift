internal import JournalKit

/// Texts one after another, by number.
struct KeptTexts: Sendable {
  private(set) var bytes: [UInt8] = []
  /// Where each text ends.
  private var ends: [Int] = []

  /// The bytes that this holds in memory.
  var byteCount: Int { bytes.count + ends.count * 8 }

  /// Adds a text; returns its number.
  mutating func append(_ text: RawSpan) -> UInt64 {
    bytes.append(text)
    ends.append(bytes.count)
    return UInt64(ends.count - 1)
  }

  /// Adds an empty text; returns its number.
  mutating func appendEmpty() -> UInt64 {
    ends.append(bytes.count)
    return UInt64(ends.count - 1)
  }

  /// Where the text of a number is in `bytes`.
  func range(_ number: UInt64) -> Range<Int> {
    let index = Int(number)
    return (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }
}
