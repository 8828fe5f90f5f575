/// Numbers on top of one another, in memory that is used again and again.
///
/// For what a few hundred nanoseconds are made of: an array that several methods of a class change is asked each time
/// whether somebody else is at it, and whether it is shared.
///
/// `@safe` because every access is behind a check.
@safe @usableFromInline
package final class NumberStack {
  @usableFromInline @unsafe
  struct State {
    @usableFromInline var base: UnsafeMutablePointer<UInt64>
    @usableFromInline var capacity: Int
    @usableFromInline var count = 0

    @usableFromInline
    init(capacity: Int) {
      unsafe self.capacity = capacity
      unsafe base = .allocate(capacity: capacity)
    }
  }

  @usableFromInline let state: UnsafeMutablePointer<State>

  package init() {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State(capacity: 64))
  }

  deinit {
    unsafe state.pointee.base.deallocate()
    unsafe state.deallocate()
  }

  @inlinable
  package var count: Int {
    @inline(__always)
    get { unsafe state.pointee.count }
  }

  @inlinable @inline(__always)
  package func push(_ number: UInt64) {
    let count = unsafe state.pointee.count
    if unsafe count == state.pointee.capacity { grow() }
    unsafe (state.pointee.base + count).initialize(to: number)
    unsafe state.pointee.count = count + 1
  }

  /// The number above `index` others.
  @inlinable
  package subscript(index: Int) -> UInt64 {
    @inline(__always)
    get {
      precondition(index >= 0 && index < count)
      return unsafe state.pointee.base[index]
    }
    @inline(__always)
    set {
      precondition(index >= 0 && index < count)
      unsafe state.pointee.base[index] = newValue
    }
  }

  /// Leaves only the lowest `count` numbers.
  @inlinable @inline(__always)
  package func shrink(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    unsafe state.pointee.count = count
  }

  /// Whether `number` is there, above at least `index` others.
  @inlinable
  package func contains(_ number: UInt64, from index: Int) -> Bool {
    precondition(index >= 0 && index <= count)
    let numbers = unsafe UnsafeBufferPointer(
      start: state.pointee.base + index, count: count - index)
    return unsafe numbers.contains(number)
  }

  @usableFromInline @inline(never)
  func grow() {
    let count = count
    let larger = unsafe State(capacity: 2 * state.pointee.capacity)
    unsafe larger.base.initialize(from: state.pointee.base, count: count)
    unsafe state.pointee.base.deallocate()
    unsafe state.pointee = larger
    unsafe state.pointee.count = count
  }
}
