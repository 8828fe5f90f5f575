internal import JournalKit

extension Deflate {
  /// `source`, compressed. Takes some tens of nanoseconds for each byte.
  package static func compress(_ source: RawSpan) -> [UInt8] {
    var writer = DeflatingWriter()
    var finder = MatchFinder()
    var at = 0
    /// What was found a byte ago, and may yet be worse than what begins here.
    var earlier: MatchFinder.Match?
    while at < source.byteCount {
      let match = finder.match(in: source, at: at)
      finder.insert(source, at)
      if let found = earlier {
        earlier = nil
        guard match.map({ $0.count > found.count }) == true else {
          writer.add(found)
          for skipped in at + 1..<at - 1 + found.count { finder.insert(source, skipped) }
          at += found.count - 1
          continue
        }
        writer.add(literal: source[at - 1])
      }
      if let match {
        earlier = match
      } else {
        writer.add(literal: source[at])
      }
      at += 1
    }
    if let earlier { writer.add(earlier) }
    return writer.finish()
  }
}

/// Finds the longest earlier bytes that are like those at some place.
private struct MatchFinder {
  struct Match {
    let count: Int
    let distance: Int
  }

  private static let hashBits = 15
  /// How many places are looked at.
  private static let chainLimit = 128

  /// By hash of three bytes, the last place that has it; and by place, the one before with the same hash.
  private var heads = [Int32](repeating: -1, count: 1 << hashBits)
  private var previous: [Int32] = []

  private static func hash(_ source: RawSpan, _ at: Int) -> Int {
    let word = UInt32(source[at]) | UInt32(source[at + 1]) << 8 | UInt32(source[at + 2]) << 16
    return Int((word &* 0x9e37_79b1) >> UInt32(32 - hashBits))
  }

  /// Makes a place known. Places come in order.
  mutating func insert(_ source: RawSpan, _ at: Int) {
    guard at + Deflate.minimumMatch <= source.byteCount else { return previous.append(-1) }
    let hash = Self.hash(source, at)
    previous.append(heads[hash])
    heads[hash] = Int32(at)
  }

  /// The longest match of the bytes at `at`.
  func match(in source: RawSpan, at: Int) -> Match? {
    guard at + Deflate.minimumMatch <= source.byteCount else { return nil }
    let limit = min(Deflate.maximumMatch, source.byteCount - at)
    var best = Deflate.minimumMatch - 1
    var distance = 0
    var place = Int(heads[Self.hash(source, at)])
    var rest = Self.chainLimit
    let here = source.extracting(at..<at + limit)
    while place >= 0, at - place <= Deflate.windowSize, rest > 0, best < limit {
      rest -= 1
      if source[place + best] == here[best] {
        let count = source.extracting(place..<place + limit).sharedPrefixCount(with: here)
        // A short match far away takes more bits than its bytes.
        if count > best, count > Deflate.minimumMatch || at - place <= 4096 {
          best = count
          distance = at - place
        }
      }
      place = Int(previous[place])
    }
    return distance > 0 ? Match(count: best, distance: distance) : nil
  }
}

/// Writes literals and matches in blocks, each with codes of its own.
private struct DeflatingWriter {
  /// The literals and matches of a block.
  private static let blockSize = 8192

  private var bits = BitWriter()
  /// A literal, or the count of a match in the upper half and its distance in the lower.
  private var symbols: [UInt32] = []
  private var literalCounts = [Int](repeating: 0, count: Deflate.literalCount)
  private var distanceCounts = [Int](repeating: 0, count: Deflate.distanceCount)

  mutating func add(literal: UInt8) {
    symbols.append(UInt32(literal))
    literalCounts[Int(literal)] += 1
    if symbols.count == Self.blockSize { writeBlock(isLast: false) }
  }

  mutating func add(_ match: MatchFinder.Match) {
    symbols.append(UInt32(match.count << 16 | match.distance))
    literalCounts[Deflate.endOfBlock + 1 + Deflate.lengths.symbol(of: match.count)] += 1
    distanceCounts[Deflate.distances.symbol(of: match.distance)] += 1
    if symbols.count == Self.blockSize { writeBlock(isLast: false) }
  }

  mutating func finish() -> [UInt8] {
    writeBlock(isLast: true)
    var writer = ByteWriter()
    bits.finish(into: &writer)
    return writer.bytes
  }

  private mutating func writeBlock(isLast: Bool) {
    literalCounts[Deflate.endOfBlock] = 1
    // Some readers want a code of distances even where there is none.
    if !distanceCounts.contains(where: { $0 > 0 }) { distanceCounts[0] = 1 }
    let limit = HuffmanCode.maximumLength
    let literals = HuffmanCode(counts: literalCounts, limit: limit)
    let distances = HuffmanCode(counts: distanceCounts, limit: limit)
    bits.append(isLast ? 1 : 0, width: 1)
    bits.append(2, width: 2)
    writeLengths(of: literals, distances)
    let (literalCodes, distanceCodes) = (literals.codes(), distances.codes())
    func write(_ code: HuffmanCode, _ codes: [UInt16], _ symbol: Int) {
      bits.append(UInt64(codes[symbol]), width: Int(code.lengths[symbol]))
    }
    for symbol in symbols {
      guard symbol >= 1 << 16 else {
        write(literals, literalCodes, Int(symbol))
        continue
      }
      let count = Int(symbol >> 16)
      let distance = Int(symbol & 0xffff)
      let lengthSymbol = Deflate.lengths.symbol(of: count)
      write(literals, literalCodes, Deflate.endOfBlock + 1 + lengthSymbol)
      append(count, Deflate.lengths, lengthSymbol)
      let distanceSymbol = Deflate.distances.symbol(of: distance)
      write(distances, distanceCodes, distanceSymbol)
      append(distance, Deflate.distances, distanceSymbol)
    }
    write(literals, literalCodes, Deflate.endOfBlock)
    symbols.removeAll(keepingCapacity: true)
    literalCounts = [Int](repeating: 0, count: Deflate.literalCount)
    distanceCounts = [Int](repeating: 0, count: Deflate.distanceCount)
  }

  private mutating func append(_ number: Int, _ steps: Deflate.Steps, _ symbol: Int) {
    bits.append(UInt64(number - steps.bases[symbol]), width: steps.extraBits[symbol])
  }

  /// Writes the lengths of both codes, themselves with a code.
  private mutating func writeLengths(of literals: HuffmanCode, _ distances: HuffmanCode) {
    let literalCount = max(257, 1 + (literals.lengths.lastIndex { $0 > 0 } ?? 0))
    let distanceCount = max(1, 1 + (distances.lengths.lastIndex { $0 > 0 } ?? 0))
    let runs = Self.runs(literals.lengths[..<literalCount] + distances.lengths[..<distanceCount])
    var counts = [Int](repeating: 0, count: Deflate.lengthOrder.count)
    for run in runs { counts[run.symbol] += 1 }
    let code = HuffmanCode(counts: counts, limit: 7)
    let codes = code.codes()
    let used = Deflate.lengthOrder.lastIndex { code.lengths[$0] > 0 } ?? 0
    let orderCount = max(4, used + 1)
    bits.append(UInt64(literalCount - 257), width: 5)
    bits.append(UInt64(distanceCount - 1), width: 5)
    bits.append(UInt64(orderCount - 4), width: 4)
    for symbol in Deflate.lengthOrder.prefix(orderCount) {
      bits.append(UInt64(code.lengths[symbol]), width: 3)
    }
    for run in runs {
      bits.append(UInt64(codes[run.symbol]), width: Int(code.lengths[run.symbol]))
      bits.append(UInt64(run.extra), width: run.extraBits)
    }
  }

  private struct Run {
    let symbol: Int
    var extra = 0
    var extraBits = 0
  }

  /// Lengths, of which equal ones in a row are put together.
  private static func runs(_ lengths: ArraySlice<UInt8>) -> [Run] {
    var runs: [Run] = []
    var rest = lengths
    while let length = rest.first {
      var count = rest.prefix { $0 == length }.count
      rest = rest.dropFirst(count)
      if length > 0 {
        runs.append(Run(symbol: Int(length)))
        count -= 1
      }
      while count >= 3 {
        let taken = min(count, length > 0 ? 6 : 138)
        if length > 0 {
          runs.append(Run(symbol: 16, extra: taken - 3, extraBits: 2))
        } else if taken < 11 {
          runs.append(Run(symbol: 17, extra: taken - 3, extraBits: 3))
        } else {
          runs.append(Run(symbol: 18, extra: taken - 11, extraBits: 7))
        }
        count -= taken
      }
      for _ in 0..<count { runs.append(Run(symbol: Int(length))) }
    }
    return runs
  }
}
