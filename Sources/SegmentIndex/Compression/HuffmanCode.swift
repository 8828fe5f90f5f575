/// A prefix code by the lengths of its codes, as RFC 1951 has it: shorter codes come first, and among those of one length
/// lower symbols.
struct HuffmanCode {
  /// The longest code that there may be.
  static let maximumLength = 15

  /// Of each symbol the bits of its code; 0 for one that has none.
  let lengths: [UInt8]

  /// The code with these lengths.
  init(lengths: [UInt8]) {
    self.lengths = lengths
  }

  /// A code that is about as short as can be for symbols that are there so many times, with no code longer than `limit`.
  ///
  /// - Parameter counts: by symbol, each less than 2^31 together.
  init(counts: [Int], limit: Int) {
    var lengths = [UInt8](repeating: 0, count: counts.count)
    let symbols = counts.indices.filter { counts[$0] > 0 }
      .sorted { (counts[$0], $0) < (counts[$1], $1) }
    if symbols.count == 1 { lengths[symbols[0]] = 1 }
    if symbols.count > 1 {
      let depths = Self.depths(symbols.map { counts[$0] }, limit: limit)
      for (symbol, depth) in zip(symbols, depths) { lengths[symbol] = UInt8(depth) }
    }
    self.lengths = lengths
  }

  /// The lengths of codes for ascending counts, the rarest first.
  private static func depths(_ counts: [Int], limit: Int) -> [Int] {
    // The two lightest of leaves and inner nodes become one, again and again; inner nodes come out in order.
    let leafCount = counts.count
    var weights = counts
    var parents = [Int](repeating: 0, count: 2 * leafCount - 1)
    var (leaf, inner) = (0, leafCount)
    func lightest() -> Int {
      if leaf < leafCount, inner >= weights.count || weights[leaf] <= weights[inner] {
        leaf += 1
        return leaf - 1
      }
      inner += 1
      return inner - 1
    }
    for node in leafCount..<2 * leafCount - 1 {
      let (first, second) = (lightest(), lightest())
      parents[first] = node
      parents[second] = node
      weights.append(weights[first] + weights[second])
    }
    var depths = [Int](repeating: 0, count: parents.count)
    for node in stride(from: parents.count - 2, through: 0, by: -1) {
      depths[node] = depths[parents[node]] + 1
    }
    return limited(Array(depths[..<leafCount]), to: limit)
  }

  /// Cuts depths down to `limit`, and makes others longer until all codes fit.
  private static func limited(_ depths: [Int], to limit: Int) -> [Int] {
    var depths = depths.map { min($0, limit) }
    // In units of the shortest share that a code can have of all.
    var total = depths.reduce(0) { $0 + 1 << (limit - $1) }
    while total > 1 << limit {
      // The rarest of those that can get longer: it costs least.
      guard let index = depths.firstIndex(where: { $0 < limit })
      else { preconditionFailure("there are more symbols than codes") }
      total -= 1 << (limit - depths[index] - 1)
      depths[index] += 1
    }
    // What is left over makes the most frequent shorter again: some readers want every code to be in use.
    for index in depths.indices.reversed() {
      while total + 1 << (limit - depths[index]) <= 1 << limit {
        total += 1 << (limit - depths[index])
        depths[index] -= 1
      }
    }
    return depths
  }

  /// Of each symbol its code, the first bit lowest.
  func codes() -> [UInt16] {
    var next = firstCodes()
    return lengths.map { length in
      guard length > 0 else { return 0 }
      defer { next[Int(length)] += 1 }
      return Self.reversed(next[Int(length)], Int(length))
    }
  }

  /// By length, the first code.
  private func firstCodes() -> [Int] {
    var counts = [Int](repeating: 0, count: Self.maximumLength + 1)
    for length in lengths where length > 0 { counts[Int(length)] += 1 }
    var codes = [Int](repeating: 0, count: Self.maximumLength + 1)
    for length in 1...Self.maximumLength {
      codes[length] = (codes[length - 1] + counts[length - 1]) << 1
    }
    return codes
  }

  private static func reversed(_ code: Int, _ length: Int) -> UInt16 {
    var (rest, reversed) = (code, 0)
    for _ in 0..<length {
      reversed = reversed << 1 | rest & 1
      rest >>= 1
    }
    return UInt16(reversed)
  }
}

/// Finds the symbol that bits begin with.
struct HuffmanDecoder {
  /// How many bits are looked at together.
  let width: Int
  /// By those bits, a symbol times 16 plus the length of its code; 0 where no code is.
  private let entries: [UInt16]

  /// The decoder of a code; nil when its codes do not fit together. One may be incomplete.
  init?(_ code: HuffmanCode) {
    let width = max(1, Int(code.lengths.max() ?? 0))
    self.width = width
    guard width <= HuffmanCode.maximumLength else { return nil }
    var total = 0
    for length in code.lengths where length > 0 { total += 1 << (width - Int(length)) }
    guard total <= 1 << width else { return nil }
    var entries = [UInt16](repeating: 0, count: 1 << width)
    let codes = code.codes()
    for symbol in codes.indices where code.lengths[symbol] > 0 {
      let length = Int(code.lengths[symbol])
      var index = Int(codes[symbol])
      while index < entries.count {
        entries[index] = UInt16(symbol << 4 | length)
        index += 1 << length
      }
    }
    self.entries = entries
  }

  /// The symbol that `bits` begin with, lowest first, and the bits of its code; nil when there is none.
  @inline(__always)
  func symbol(_ bits: UInt64) -> (symbol: Int, length: Int)? {
    let entry = entries[Int(truncatingIfNeeded: bits) & (1 << width - 1)]
    return entry == 0 ? nil : (Int(entry >> 4), Int(entry & 15))
  }
}
