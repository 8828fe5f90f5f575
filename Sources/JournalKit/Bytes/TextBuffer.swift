/// Text that is put together from pieces, as UTF-8, in memory that is used again and again.
///
/// What a log entry consists of are many short pieces. Each costs here little more than copying it: an array would be
/// asked for its owner and its room each time, and a string's bytes would be looked at one by one. So what is there
/// stands behind a pointer, where no store has to ask whether somebody else is at it; and pieces that stand in the
/// program are copied without a call, since their length is known when it is compiled.
///
/// A class, so that whoever shares one needs not take turns with itself; `@safe` because every store is behind a check of
/// the room.
@safe @usableFromInline
package final class TextBuffer {
  @usableFromInline let state: UnsafeMutablePointer<GrowingMemory>
  /// What is kept when the text is removed.
  private static let keptCapacity = 64 << 10

  package init(capacity: Int = 1_024) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: GrowingMemory(capacity: capacity))
  }

  deinit {
    unsafe state.pointee.deallocate()
    unsafe state.deallocate()
  }

  /// How many bytes the text has.
  @inlinable
  package var count: Int {
    @inline(__always)
    get { unsafe state.pointee.length }
  }

  /// The text's bytes, until the next change.
  package var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      let bytes = unsafe UnsafeRawBufferPointer(start: state.pointee.base, count: count)
      return unsafe _overrideLifetime(bytes.bytes, borrowing: self)
    }
  }

  /// The hash of the bytes from `start` on.
  package func hash(from start: Int) -> UInt64 {
    let bytes = bytes
    return bytes.extracting(start...).hash(seed: 0)
  }

  /// A copy of the text's bytes.
  package var array: [UInt8] {
    unsafe [UInt8](UnsafeRawBufferPointer(start: state.pointee.base, count: count))
  }

  /// The text; what is not UTF-8 is replaced.
  package var string: String {
    unsafe String(
      decoding: UnsafeRawBufferPointer(start: state.pointee.base, count: count), as: UTF8.self)
  }

  /// Another buffer with the first `count` bytes.
  package func copy(count: Int) -> TextBuffer {
    precondition(count >= 0 && count <= self.count)
    let copy = TextBuffer(capacity: count)
    unsafe copy.append(UnsafeRawBufferPointer(start: state.pointee.base, count: count))
    return copy
  }

  package func removeAll() {
    guard unsafe state.pointee.capacity > Self.keptCapacity else {
      return unsafe state.pointee.length = 0
    }
    unsafe state.pointee.deallocate()
    unsafe state.pointee = GrowingMemory(capacity: 1_024)
  }

  /// Where the next byte goes; behind it there is room for `room` bytes.
  @inlinable @inline(__always)
  func end(withRoomFor room: Int) -> UnsafeMutableRawPointer {
    if unsafe state.pointee.capacity - state.pointee.length < room {
      unsafe state.pointee.grow(room)
    }
    return unsafe state.pointee.base + state.pointee.length
  }

  // MARK: Pieces

  /// Appends one ASCII character.
  @inlinable @inline(__always)
  package func append(_ byte: UInt8) {
    unsafe end(withRoomFor: 1).storeBytes(of: byte, as: UInt8.self)
    unsafe state.pointee.length += 1
  }

  /// Appends a text that stands in the program.
  @inlinable @inline(__always)
  package func append(_ text: StaticString) {
    precondition(text.hasPointerRepresentation)
    let size = text.utf8CodeUnitCount
    unsafe end(withRoomFor: size).copyMemory(from: text.utf8Start, byteCount: size)
    unsafe state.pointee.length += size
  }

  /// Appends bytes as they are.
  package func append(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }

  /// Appends text as it is.
  package func append(raw text: String) {
    let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe append(UnsafeRawBufferPointer($0))
    }
    if isDone == nil {
      var text = text
      text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
    }
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    unsafe end(withRoomFor: bytes.count).copyMemory(from: start, byteCount: bytes.count)
    unsafe state.pointee.length += bytes.count
  }
}
