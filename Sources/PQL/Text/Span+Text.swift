extension Span<UInt8> {
  /// The scalar whose encoding begins at `position`, and its length in bytes; nil when the bytes there are
  /// not UTF-8 (overlong forms, surrogates and values past U+10FFFF are not).
  func scalar(at position: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    let lead = self[position]
    if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
    let length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    guard lead >= 0xc2, lead <= 0xf4, position + length <= count else { return nil }
    var value = UInt32(lead) & (0x7f >> UInt32(length))
    for index in position + 1..<position + length {
      guard self[index] & 0xc0 == 0x80 else { return nil }
      value = value << 6 | UInt32(self[index] & 0x3f)
    }
    let smallest: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x1_0000
    guard value >= smallest, let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, length)
  }

  /// Where the scalar after the one at `position` begins.
  func nextScalar(after position: Int) -> Int {
    var next = position + 1
    while next < count, self[next] & 0xc0 == 0x80 { next += 1 }
    return next
  }

  /// Whether all bytes are ASCII.
  var isASCII: Bool {
    var at = 0
    // A block without branches becomes vector instructions.
    while at + 32 <= count {
      let block = extracting(at..<at + 32)
      var bits: UInt8 = 0
      for index in 0..<32 { bits |= block[index] }
      if bits >= 0x80 { return false }
      at += 32
    }
    var bits: UInt8 = 0
    while at < count {
      bits |= self[at]
      at += 1
    }
    return bits < 0x80
  }
}
