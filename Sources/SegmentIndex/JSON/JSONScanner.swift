internal import JournalKit

/// Reads JSON from borrowed bytes, one piece at a time, without building what nobody asked for.
///
/// The caller pulls: it peeks at the kind of the next value, then reads it, enters it, or skips it. A
/// skipped value is validated and costs no allocation.
///
///     var scanner = JSONScanner(bytes)
///     try scanner.enterObject()
///     while let key = try scanner.nextKey() {
///       if key == "v" { version = try scanner.readInt() } else { try scanner.skipValue() }
///     }
///     try scanner.finish()
///
/// The grammar is that of RFC 8259 and nothing more. Only inside strings is it lenient, because there a
/// bad byte should not cost the reader the whole line: what is not UTF-8, and half a surrogate pair,
/// reads as U+FFFD. Keys are reported in the order written, duplicates included.
///
/// After an error the scanner's position is unspecified and it should be dropped.
public struct JSONScanner: ~Escapable {
  /// What the next value is.
  public enum Kind: Sendable, Hashable {
    /// A value of this kind begins here.
    case object, array, string, number, bool, null
    /// There is no more input.
    case end
  }

  let bytes: RawSpan
  /// The deepest nesting that is accepted.
  let depthLimit: Int
  var position = 0
  /// How many objects and arrays are open.
  var depth = 0
  /// Whether the innermost open container has given nothing yet. One flag serves all levels: to enter
  /// a child its parent must have given something.
  private var isAtFirst = false

  /// A scanner at the start of `bytes`.
  ///
  /// - Parameter depthLimit: how deep objects and arrays may nest, 0 to 512.
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan, depthLimit: Int = 64) {
    precondition((0...512).contains(depthLimit), "the depth limit is 0 to 512")
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  /// The offset of the next byte to be read.
  public var offset: Int { position }

  /// The kind of the next value, which stays unread. Skips white space.
  public mutating func peek() throws(JSONError) -> Kind {
    skipSpace()
    guard position < bytes.byteCount else { return .end }
    switch bytes[position] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: throw error("expected a value")
    }
  }

  /// Checks that nothing but white space remains.
  public mutating func finish() throws(JSONError) {
    skipSpace()
    guard position == bytes.byteCount else { throw error("expected the end of the text") }
  }
}

// MARK: - Containers

extension JSONScanner {
  /// Enters the object that comes next.
  public mutating func enterObject() throws(JSONError) {
    try enter(UInt8(ascii: "{"), "expected an object")
  }

  /// The next key of the innermost object, whose value must then be read, entered or skipped; nil when
  /// the object has ended, which leaves it.
  public mutating func nextKey() throws(JSONError) -> String? {
    guard let range = try nextKeyRange() else { return nil }
    return string(in: range)
  }

  /// As `nextKey()`, but only says where the key is: the bytes between its quotes, with their escapes.
  /// `key(_:is:)` compares it and `string(in:)` reads it.
  @inline(__always)
  public mutating func nextKeyRange() throws(JSONError) -> Range<Int>? {
    guard try advanceInObject() else { return nil }
    guard position < bytes.byteCount, bytes[position] == UInt8(ascii: "\"")
    else { throw error("expected a key") }
    let key = try scanString()
    try readColon()
    return key
  }

  /// Moves to the next member of the innermost object; false, and out of it, at its end.
  @inline(__always)
  mutating func advanceInObject() throws(JSONError) -> Bool {
    try advance(closing: UInt8(ascii: "}"), "expected a comma or the object's end")
  }

  /// Moves past the colon behind a key.
  @inline(__always)
  mutating func readColon() throws(JSONError) {
    skipSpace()
    guard position < bytes.byteCount, bytes[position] == UInt8(ascii: ":")
    else { throw error("expected a colon") }
    position += 1
  }

  /// Whether the key at `range`, from `nextKeyRange()`, is `text`, scalar for scalar. Allocates nothing
  /// unless the key is written with escapes.
  public func key(_ range: Range<Int>, is text: String) -> Bool {
    let raw = bytes.extracting(range)
    guard raw.firstIndex(of: UInt8(ascii: "\\")) != nil else { return raw.equals(text) }
    return string(in: range).utf8.elementsEqual(text.utf8)
  }

  /// Enters the array that comes next.
  public mutating func enterArray() throws(JSONError) {
    try enter(UInt8(ascii: "["), "expected an array")
  }

  /// Moves to the next element of the innermost array, which must then be read, entered or skipped;
  /// false when the array has ended, which leaves it.
  public mutating func nextElement() throws(JSONError) -> Bool {
    try advance(closing: UInt8(ascii: "]"), "expected a comma or the array's end")
  }

  /// Where the next member of the innermost object begins, if no space is before it; nil where it ends or cannot go on.
  @inline(__always)
  var nextMemberStart: Int? {
    if isAtFirst { return position }
    guard depth > 0, position < bytes.byteCount, bytes[position] == UInt8(ascii: ",")
    else { return nil }
    return position + 1
  }

  /// Moves to the value, which begins at `offset`, of a member that the caller has found there.
  @inline(__always)
  mutating func begin(memberAt offset: Int) {
    position = offset
    isAtFirst = false
  }

  private mutating func enter(_ opening: UInt8, _ reason: String) throws(JSONError) {
    skipSpace()
    guard position < bytes.byteCount, bytes[position] == opening else { throw error(reason) }
    guard depth < depthLimit else { throw error("nested too deeply") }
    position += 1
    depth += 1
    isAtFirst = true
  }

  /// Moves past the comma to the next member or element; false, and out of the container, at its end.
  @inline(__always)
  private mutating func advance(
    closing: UInt8, _ reason: String
  ) throws(JSONError) -> Bool {
    precondition(depth > 0, "no object or array is open")
    skipSpace()
    guard position < bytes.byteCount else { throw error(reason) }
    let byte = bytes[position]
    if byte == closing {
      position += 1
      depth -= 1
      isAtFirst = false
      return false
    }
    if isAtFirst {
      isAtFirst = false
      return true
    }
    guard byte == UInt8(ascii: ",") else { throw error(reason) }
    position += 1
    skipSpace()
    return true
  }
}

// MARK: - Words

extension JSONScanner {
  /// Reads `true` or `false`.
  public mutating func readBool() throws(JSONError) -> Bool {
    skipSpace()
    if skip("true") { return true }
    if skip("false") { return false }
    throw error("expected true or false")
  }

  /// Reads `null`.
  public mutating func readNull() throws(JSONError) {
    skipSpace()
    guard skip("null") else { throw error("expected null") }
  }

  /// Reads `null` if that comes next; false, and nothing is read, when another value does.
  package mutating func skipNull() throws(JSONError) -> Bool {
    skipSpace()
    guard position < bytes.byteCount, bytes[position] == UInt8(ascii: "n") else { return false }
    try readNull()
    return true
  }

  /// Moves past `word` if it comes next.
  private mutating func skip(_ word: String) -> Bool {
    let end = position + word.utf8.count
    guard end <= bytes.byteCount, bytes.extracting(position..<end).equals(word)
    else { return false }
    position = end
    return true
  }

  @inline(__always)
  mutating func skipSpace() {
    while position < bytes.byteCount {
      let byte = bytes[position]
      // Hardly ever is there any.
      guard byte <= 0x20, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
      else { return }
      position += 1
    }
  }

  func error(_ reason: String) -> JSONError {
    JSONError(offset: position, reason: reason)
  }
}
