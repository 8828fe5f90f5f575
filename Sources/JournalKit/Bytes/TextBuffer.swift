/// Text that is put together from pieces, as UTF-8, in memory that is used again and again.
///
/// What a log entry consists of are many short pieces. Each costs here little more than copying it: an array would be
/// asked for its owner and its room each time, and a string's bytes would be looked at one by one.
///
/// A class, so that whoever shares one needs not take turns with itself; `@safe` because every store is behind a check of
/// the room.
@safe
package final class TextBuffer {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private var length = 0

  /// What is kept when the text is removed.
  private static let keptCapacity = 64 << 10

  package init(capacity: Int = 1_024) {
    self.capacity = max(capacity, 64)
    unsafe base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { unsafe base.deallocate() }

  /// The text's bytes, until the next change.
  package var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      let bytes = unsafe UnsafeRawBufferPointer(start: base, count: length)
      return unsafe _overrideLifetime(bytes.bytes, borrowing: self)
    }
  }

  /// A copy of the text's bytes.
  package var array: [UInt8] {
    unsafe [UInt8](UnsafeRawBufferPointer(start: base, count: length))
  }

  package func removeAll() {
    length = 0
    guard capacity > Self.keptCapacity else { return }
    unsafe base.deallocate()
    capacity = 1_024
    unsafe base = .allocate(byteCount: capacity, alignment: 16)
  }

  @inline(__always)
  private func reserve(_ room: Int) {
    if capacity - length < room { grow(room) }
  }

  private func grow(_ room: Int) {
    let larger = max(2 * capacity, length + room)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe new.copyMemory(from: base, byteCount: length)
    unsafe base.deallocate()
    unsafe base = new
    capacity = larger
  }

  // MARK: Pieces

  /// Appends one ASCII character.
  package func append(_ byte: UInt8) {
    reserve(1)
    unsafe base.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
    length += 1
  }

  /// Appends a text that stands in the program.
  package func append(_ text: StaticString) {
    precondition(text.hasPointerRepresentation)
    let size = text.utf8CodeUnitCount
    reserve(size)
    unsafe (base + length).copyMemory(from: text.utf8Start, byteCount: size)
    length += size
  }

  /// Appends bytes as they are.
  package func append(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }

  /// Appends text as it is.
  package func append(_ text: String) {
    var text = text
    text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    unsafe (base + length).copyMemory(from: start, byteCount: bytes.count)
    length += bytes.count
  }

  /// Appends a number in decimal digits.
  package func append(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(digitsOf: value.magnitude)
  }

  /// Appends a number in decimal digits.
  package func append(_ value: UInt64) {
    append(digitsOf: value)
  }

  private func append(digitsOf value: UInt64) {
    reserve(20)
    // From the last digit back, two at a time, and then to where they belong.
    var rest = value
    var start = 20
    repeat {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      start -= 2
      let (tens, ones) = UInt16(truncatingIfNeeded: pair).quotientAndRemainder(dividingBy: 10)
      unsafe base.storeBytes(
        of: (0x3030 | tens | ones << 8).littleEndian, toByteOffset: length + start,
        as: UInt16.self)
      rest = quotient
    } while rest > 0
    if unsafe base.load(fromByteOffset: length + start, as: UInt8.self) == UInt8(ascii: "0") {
      start += 1
    }
    unsafe (base + length).copyMemory(from: base + length + start, byteCount: 20 - start)
    length += 20 - start
  }

  /// Appends a JSON string.
  package func append(quoted text: String) {
    var text = text
    text.withUTF8 { text in
      reserve(text.count + 2)
      unsafe base.storeBytes(of: UInt8(ascii: "\""), toByteOffset: length, as: UInt8.self)
      length += 1
      let plain = unsafe copyPlain(text)
      if plain < text.count { unsafe escape(UnsafeBufferPointer(rebasing: text[plain...])) }
      append(UInt8(ascii: "\""))
    }
  }

  /// Copies the bytes that stand for themselves in a JSON string, up to the first that does not, and returns how many
  /// those are. There is room for all.
  private func copyPlain(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    guard let source = unsafe UnsafeRawPointer(text.baseAddress) else { return 0 }
    var at = 0
    while at + 8 <= text.count {
      let part = unsafe (source + at).loadUnaligned(as: UInt64.self)
      if Self.hasSpecial(part) { break }
      unsafe base.storeBytes(of: part, toByteOffset: length, as: UInt64.self)
      length += 8
      at += 8
    }
    while at < text.count {
      let byte = unsafe text[at]
      if byte < 0x20 || byte == 0x22 || byte == 0x5c { break }
      unsafe base.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
      length += 1
      at += 1
    }
    return at
  }

  /// Whether one of eight bytes is below 0x20, a quote or a backslash. A byte beside one that is may seem to be, too.
  @inline(__always)
  private static func hasSpecial(_ part: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = part ^ (ones &* 0x22)
    let backslashes = part ^ (ones &* 0x5c)
    let special =
      (part &- ones &* 0x20) & ~part | (quotes &- ones) & ~quotes
      | (backslashes &- ones) & ~backslashes
    return special & (ones &* 0x80) != 0
  }

  private func escape(_ text: UnsafeBufferPointer<UInt8>) {
    for index in 0..<text.count {
      let byte = unsafe text[index]
      switch byte {
      case 0x22: append("\\\"")
      case 0x5c: append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0a: append("\\n")
      case 0x0c: append("\\f")
      case 0x0d: append("\\r")
      case 0..<0x20:
        append(byte < 0x10 ? "\\u000" : "\\u001")
        append(String(byte & 15, radix: 16))
      default: append(byte)
      }
    }
  }
}
