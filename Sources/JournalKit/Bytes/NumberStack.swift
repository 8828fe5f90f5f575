/// Numbers on top of one another, in memory that is used again and again.
///
/// For what a few hundred nanoseconds are made of: an array that several methods of a class change is asked each time
/// whether somebody else is at it, and whether it is shared.
///
/// `@safe` because every access is behind a check.
@safe @usableFromInline
package final class NumberStack {
  @usableFromInline let state: UnsafeMutablePointer<GrowingMemory>

  package init() {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: GrowingMemory(capacity: 512))
  }

  deinit {
    unsafe state.pointee.deallocate()
    unsafe state.deallocate()
  }

  @inlinable
  package var count: Int {
    @inline(__always)
    get { unsafe state.pointee.length / Self.width }
  }

  /// The bytes of a number.
  @inlinable
  static var width: Int {
    @inline(__always)
    get { MemoryLayout<UInt64>.size }
  }

  @inlinable
  var numbers: UnsafeMutablePointer<UInt64> {
    @inline(__always)
    get { unsafe state.pointee.base.assumingMemoryBound(to: UInt64.self) }
  }

  @inlinable @inline(__always)
  package func push(_ number: UInt64) {
    let length = unsafe state.pointee.length
    if unsafe length == state.pointee.capacity { unsafe state.pointee.grow(Self.width) }
    unsafe state.pointee.base.storeBytes(of: number, toByteOffset: length, as: UInt64.self)
    unsafe state.pointee.length = length + Self.width
  }

  /// The number above `index` others.
  @inlinable
  package subscript(index: Int) -> UInt64 {
    @inline(__always)
    get {
      precondition(index >= 0 && index < count)
      return unsafe numbers[index]
    }
    @inline(__always)
    set {
      precondition(index >= 0 && index < count)
      unsafe numbers[index] = newValue
    }
  }

  /// Leaves only the lowest `count` numbers.
  @inlinable @inline(__always)
  package func shrink(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    unsafe state.pointee.length = count * Self.width
  }

  /// Whether `number` is there, above at least `index` others.
  @inlinable
  package func contains(_ number: UInt64, from index: Int) -> Bool {
    precondition(index >= 0 && index <= count)
    let numbers = unsafe UnsafeBufferPointer(start: numbers + index, count: count - index)
    return unsafe numbers.contains(number)
  }
}
