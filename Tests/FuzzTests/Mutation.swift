import TestSupport

/// Inputs made from others by chance, without regard to what they reach.
struct Mutation {
  private static let lengthLimit = 16 << 10

  private let corpus: [[UInt8]]
  private var random: SeededRandom

  init(of corpus: [[UInt8]], seed: UInt64) {
    self.corpus = corpus.isEmpty ? [[]] : corpus
    random = SeededRandom(seed: seed)
  }

  /// One of the corpus, changed in a few places.
  mutating func next() -> [UInt8] {
    var bytes = corpus.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...6, using: &random) { change(&bytes) }
    return Array(bytes.prefix(Self.lengthLimit))
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let start = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, start + Int.random(in: 0...64, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      if start < bytes.count { bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case 1: bytes.replaceSubrange(start..<end, with: random.bytes(end - start))
    case 2: bytes.removeSubrange(start..<end)
    case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
    case 4: bytes.replaceSubrange(start..<end, with: repeatElement(0, count: end - start))
    case 5: bytes.replaceSubrange(start..<end, with: repeatElement(0xff, count: end - start))
    default: splice(&bytes, at: start)
    }
  }

  /// The end of another input takes the place of this one's.
  private mutating func splice(_ bytes: inout [UInt8], at start: Int) {
    let other = corpus.randomElement(using: &random) ?? []
    let from = Int.random(in: 0...other.count, using: &random)
    bytes.replaceSubrange(start..., with: other[from...])
  }
}
