/// 350 bytes that say whose they are and cannot be confused with others.
struct Payload: ~Copyable {
  static let length = 350

  private(set) var bytes = [UInt8](repeating: 7, count: length)

  /// Makes this the payload `number` of `thread`.
  mutating func fill(thread: Int, number: Int) {
    bytes.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: UInt32(thread), as: UInt32.self)
      bytes.storeBytes(of: UInt32(number), toByteOffset: 4, as: UInt32.self)
      var noise = UInt32(thread) &* 2_654_435_761 &+ UInt32(number) &+ 1
      for offset in stride(from: 8, through: Self.length - 4, by: 4) {
        noise ^= noise << 13
        noise ^= noise >> 17
        noise ^= noise << 5
        bytes.storeBytes(of: noise, toByteOffset: offset, as: UInt32.self)
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
