/// 350 bytes that say whose they are and cannot be confused with others.
package struct Payload: ~Copyable {
  package static let length = 350

  package private(set) var bytes = [UInt8](repeating: 7, count: length)

  package init() {}

  /// Makes this the payload `number` of `thread`.
  package mutating func fill(thread: Int, number: Int) {
    bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      start.storeBytes(of: UInt32(truncatingIfNeeded: thread), as: UInt32.self)
      start.storeBytes(of: UInt32(truncatingIfNeeded: number), toByteOffset: 4, as: UInt32.self)
      var noise =
        UInt32(truncatingIfNeeded: thread) &* 2_654_435_761
        &+ UInt32(truncatingIfNeeded: number) &+ 1
      var offset = 8
      while offset <= Self.length - 4 {
        noise ^= noise &<< 13
        noise ^= noise &>> 17
        noise ^= noise &<< 5
        start.storeBytes(of: noise, toByteOffset: offset, as: UInt32.self)
        offset &+= 4
      }
    }
  }

  /// Which payload `bytes` claims to be; nil when it is not even long enough.
  package static func name(of bytes: UnsafeRawBufferPointer) -> (thread: Int, number: Int)? {
    guard bytes.count == length else { return nil }
    return (
      Int(bytes.loadUnaligned(as: UInt32.self)),
      Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    )
  }
}
