internal import JournalKit

extension Deflate {
  /// Appends to `target` the `count` bytes that all of `source` stands for. False when it is not just that; whatever
  /// the bytes are, no more are appended.
  package static func decompress(
    _ source: RawSpan, appendingTo target: inout [UInt8], count: Int
  ) -> Bool {
    let start = target.count
    target += [UInt8](repeating: 0, count: count)
    var reader = InflatingReader(source, start: start)
    return reader.read(into: &target) && reader.isAtEnd && reader.output == target.count
  }
}

/// Reads blocks one after another.
private struct InflatingReader: ~Escapable {
  private let bytes: RawSpan
  private let start: Int
  private var at = 0
  private var bits: UInt64 = 0
  private var bitCount = 0
  /// Where the next byte goes.
  private(set) var output: Int

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, start: Int) {
    self.bytes = bytes
    self.start = start
    output = start
  }

  /// Whether nothing but zeros up to a whole byte is left.
  var isAtEnd: Bool { at == bytes.byteCount && bitCount < 8 && bits == 0 }

  mutating func read(into target: inout [UInt8]) -> Bool {
    while true {
      guard let isLast = take(1), let kind = take(2) else { return false }
      let isRead: Bool
      switch kind {
      case 0: isRead = readStored(into: &target)
      case 1:
        isRead = read(into: &target, Self.fixedLiterals, Self.fixedDistances)
      case 2:
        guard let (literals, distances) = readCodes() else { return false }
        isRead = read(into: &target, literals, distances)
      default: return false
      }
      guard isRead else { return false }
      if isLast == 1 { return true }
    }
  }

  private static let fixedLiterals = HuffmanDecoder(
    HuffmanCode(lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }))
  private static let fixedDistances = HuffmanDecoder(
    HuffmanCode(lengths: [UInt8](repeating: 5, count: 30)))

  // MARK: Bits

  @inline(__always)
  private mutating func fill() {
    while bitCount <= 56, at < bytes.byteCount {
      bits |= UInt64(bytes[at]) << UInt64(bitCount)
      at += 1
      bitCount += 8
    }
  }

  @inline(__always)
  private mutating func take(_ count: Int) -> Int? {
    if bitCount < count { fill() }
    guard bitCount >= count else { return nil }
    let value = Int(bits & (1 << UInt64(count) - 1))
    bits >>= UInt64(count)
    bitCount -= count
    return value
  }

  @inline(__always)
  private mutating func symbol(_ decoder: HuffmanDecoder) -> Int? {
    if bitCount < HuffmanCode.maximumLength { fill() }
    guard let (symbol, length) = decoder.symbol(bits), length <= bitCount else { return nil }
    bits >>= UInt64(length)
    bitCount -= length
    return symbol
  }

  // MARK: Blocks

  private mutating func readStored(into target: inout [UInt8]) -> Bool {
    guard take(bitCount % 8) == 0, let count = take(16), let check = take(16),
      count == ~check & 0xffff, count <= target.count - output
    else { return false }
    for _ in 0..<count {
      guard let byte = take(8) else { return false }
      target[output] = UInt8(byte)
      output += 1
    }
    return true
  }

  private mutating func readCodes() -> (HuffmanDecoder, HuffmanDecoder)? {
    guard let literalExtra = take(5), let distanceExtra = take(5), let lengthExtra = take(4)
    else { return nil }
    let (literalCount, distanceCount) = (literalExtra + 257, distanceExtra + 1)
    guard literalCount <= Deflate.literalCount, distanceCount <= Deflate.distanceCount
    else { return nil }
    var lengthLengths = [UInt8](repeating: 0, count: Deflate.lengthOrder.count)
    for symbol in Deflate.lengthOrder.prefix(lengthExtra + 4) {
      guard let length = take(3) else { return nil }
      lengthLengths[symbol] = UInt8(length)
    }
    guard let decoder = HuffmanDecoder(HuffmanCode(lengths: lengthLengths)) else { return nil }
    var lengths: [UInt8] = []
    while lengths.count < literalCount + distanceCount {
      guard let symbol = symbol(decoder) else { return nil }
      var (value, times): (UInt8?, Int?) = (0, 1)
      switch symbol {
      case 16: (value, times) = (lengths.last, take(2).map { $0 + 3 })
      case 17: times = take(3).map { $0 + 3 }
      case 18: times = take(7).map { $0 + 11 }
      default: value = UInt8(symbol)
      }
      guard let value, let times, lengths.count + times <= literalCount + distanceCount
      else { return nil }
      for _ in 0..<times { lengths.append(value) }
    }
    guard lengths[Deflate.endOfBlock] > 0,
      let literals = HuffmanDecoder(HuffmanCode(lengths: Array(lengths[..<literalCount]))),
      let distances = HuffmanDecoder(HuffmanCode(lengths: Array(lengths[literalCount...])))
    else { return nil }
    return (literals, distances)
  }

  private mutating func read(
    into target: inout [UInt8], _ literals: HuffmanDecoder?, _ distances: HuffmanDecoder?
  ) -> Bool {
    guard let literals, let distances else { return false }
    while true {
      guard let symbol = symbol(literals) else { return false }
      if symbol < Deflate.endOfBlock {
        guard output < target.count else { return false }
        target[output] = UInt8(symbol)
        output += 1
        continue
      }
      if symbol == Deflate.endOfBlock { return true }
      guard let count = number(Deflate.lengths, symbol - Deflate.endOfBlock - 1),
        let code = self.symbol(distances), let distance = number(Deflate.distances, code),
        distance <= output - start, count <= target.count - output
      else { return false }
      target.repeat(distance: distance, at: output, count: count)
      output += count
    }
  }

  private mutating func number(_ steps: Deflate.Steps, _ symbol: Int) -> Int? {
    guard symbol < steps.bases.count else { return nil }
    return take(steps.extraBits[symbol]).map { steps.bases[symbol] + $0 }
  }
}
