/// Memory that grows as it is filled, and is used again and again.
///
/// It is what `TextBuffer` and `NumberStack` have in common: each keeps one behind a pointer of its own, where no store has
/// to ask whether somebody else is at it. `@unsafe` because only those two know what is there and for how long.
@unsafe @usableFromInline
struct GrowingMemory {
  @usableFromInline var base: UnsafeMutableRawPointer
  /// Bytes that there is room for, and how many of them are used.
  @usableFromInline var capacity: Int
  @usableFromInline var length = 0

  init(capacity: Int) {
    unsafe self.capacity = max(capacity, 64)
    unsafe base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  /// Makes room for `room` more bytes.
  @usableFromInline @inline(never)
  mutating func grow(_ room: Int) {
    let larger = unsafe max(2 * capacity, length + room)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe new.copyMemory(from: base, byteCount: length)
    unsafe base.deallocate()
    unsafe (base, capacity) = (new, larger)
  }

  func deallocate() {
    unsafe base.deallocate()
  }
}
