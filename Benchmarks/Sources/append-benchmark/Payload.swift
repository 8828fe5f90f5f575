/// 350 bytes that say whose they are and cannot be confused with others.
struct Payload: ~Copyable {
  static let length = 350

  private(set) var bytes = [UInt8](repeating: 7, count: length)

  /// Makes this the payload `number` of `thread`.
  mutating func fill(thread: Int, number: Int) {
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
  static func name(of bytes: [UInt8]) -> (thread: Int, number: Int)? {
    guard bytes.count == length else { return nil }
    return bytes.withUnsafeBytes { bytes in
      (
        Int(bytes.load(as: UInt32.self)),
        Int(bytes.load(fromByteOffset: 4, as: UInt32.self))
      )
    }
  }
}
