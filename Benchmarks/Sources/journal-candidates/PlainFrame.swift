import AppendHarness

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The least that a log needs around an entry: its length, stored last, and a check.
enum PlainFrame {
  static let length = 8 + Payload.length

  static func fill(_ frame: UnsafeMutableRawBufferPointer, _ payload: [UInt8]) {
    payload.withUnsafeBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: frame[8...]).copyMemory(from: bytes)
      frame.storeBytes(of: Checksum.slicingBy8(bytes), toByteOffset: 4, as: UInt32.self)
    }
    frame.storeBytes(of: UInt32(payload.count), as: UInt32.self)
  }

  /// Hands out the payloads of the file at `path`, up to the first that is not whole.
  static func read(_ path: String, _ body: (UnsafeRawBufferPointer) -> Void) {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return }
    defer { close(file) }
    let end = Int(lseek(file, 0, SEEK_END))
    guard end > 0, let region = mmap(nil, end, PROT_READ, MAP_PRIVATE, file, 0),
      region != MAP_FAILED
    else { return }
    defer { munmap(region, end) }
    let bytes = UnsafeRawBufferPointer(start: region, count: end)
    for start in stride(from: 0, through: end - length, by: length) {
      let payload = UnsafeRawBufferPointer(rebasing: bytes[start + 8..<start + length])
      guard bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self) == UInt32(Payload.length),
        bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
          == Checksum.slicingBy8(payload)
      else { return }
      body(payload)
    }
  }
}
