import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Looking terms up by what is kept of a dictionary finds what the dictionary itself finds.
@Suite struct RestartKeysTests {
  private func bytes(_ terms: Set<[UInt8]>) -> [UInt8] {
    var interner = TermInterner()
    for term in terms { _ = interner.intern(term.rawSpan) }
    var writer = ByteWriter()
    writer.termDictionary(interner, order: interner.sorted())
    return writer.bytes
  }

  /// Texts that share beginnings of all lengths, and zeros, which short ones are filled up with.
  private func term(_ prefix: [UInt8], using random: inout SeededRandom) -> [UInt8] {
    let alphabet: [UInt8] = [0, 0, 1, 0x61, 0x62, 0xff]
    let count = Int.random(in: 0...12, using: &random)
    return prefix + (0..<count).map { _ in alphabet[Int.random(in: 0..<6, using: &random)] }
  }

  @Test func termsAreFoundWhereTheyStand() throws {
    for seed in UInt64(0)..<40 {
      var random = SeededRandom(seed: seed)
      let prefix = [UInt8](repeating: 0x70, count: Int.random(in: 0...9, using: &random))
      var terms: Set<[UInt8]> = []
      for _ in 0..<[0, 1, 15, 17, 300][Int(seed) % 5] { terms.insert(term(prefix, using: &random)) }
      let sorted = terms.sorted { $0.lexicographicallyPrecedes($1) }
      let bytes = bytes(terms)
      let made = TermDictionary(bytes.rawSpan, count: terms.count)
      guard let dictionary = made else {
        Issue.record("seed \(seed): no dictionary")
        continue
      }
      let restarts = RestartKeys(dictionary)
      var others: [[UInt8]] = [
        [], [0], [0xff], prefix, prefix.dropLast() + [0x71], prefix + [0xff],
      ]
      for _ in 0..<200 { others.append(term(prefix, using: &random)) }
      for sought in sorted + others {
        let expected = sorted.firstIndex(of: sought).map(TermDictionary.Place.found) ?? .absent
        let place = restarts.place(of: sought.rawSpan, in: dictionary)
        #expect(place == expected, "seed \(seed): \(sought)")
        let plain = dictionary.place(of: sought.rawSpan)
        #expect(plain == expected, "seed \(seed): \(sought)")
      }
    }
  }

  /// One odd term leaves no common beginning, and most others eight equal bytes.
  @Test func termsThatAgreeFurtherThanTheKeysAreFound() throws {
    let users = (0..<2_000).map { Array("/api/v1/user/\($0)".utf8) }
    let others = [
      "/a", "/api/v1/", "/api/v1/u", "/api/v1/user/", "/health", "/api/v1/v", "/zebra",
    ].map { Array($0.utf8) }
    let terms = Set(users.filter { $0.count % 2 == 0 } + others)
    let sorted = terms.sorted { $0.lexicographicallyPrecedes($1) }
    let bytes = bytes(terms)
    guard let dictionary = TermDictionary(bytes.rawSpan, count: terms.count) else {
      Issue.record("no dictionary")
      return
    }
    let restarts = RestartKeys(dictionary)
    for sought in users + others + [Array("/api/v1/user".utf8), Array("/api/v1/user0".utf8)] {
      let expected = sorted.firstIndex(of: sought).map(TermDictionary.Place.found) ?? .absent
      #expect(restarts.place(of: sought.rawSpan, in: dictionary) == expected, "\(sought)")
    }
  }

  /// Whatever the bytes are, looking something up ends, and without a trap.
  @Test func damagedBytesAreLookedUpWithoutATrap() {
    for seed in UInt64(0)..<200 {
      var random = SeededRandom(seed: seed)
      var terms: Set<[UInt8]> = []
      for _ in 0..<60 { terms.insert(term([], using: &random)) }
      var bytes = bytes(terms)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      let made = TermDictionary(bytes.rawSpan, count: terms.count)
      guard let dictionary = made else { continue }
      let restarts = RestartKeys(dictionary)
      for sought in terms {
        _ = restarts.place(of: sought.rawSpan, in: dictionary)
        _ = dictionary.place(of: sought.rawSpan)
      }
    }
  }
}
