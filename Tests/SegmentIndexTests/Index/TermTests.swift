import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct TermTests {
  /// Terms in ascending order, every neighbour distinct.
  static let ascending: [Term] = [
    .bool(false), .bool(true), .int(.min), .int(-1), .int(0), .int(1), .int(.max),
    .double(-.nan), .double(-.infinity), .double(-1), .double(-0.0), .double(0),
    .double(.leastNonzeroMagnitude), .double(1), .double(.infinity), .double(.nan),
    .string(""), .string("\0"), .string("a"), .string("a\0"), .string("ab"), .string("e\u{301}"),
    .string("é"), .string("😀"), .json(""), .json("[]"),
    .level(LogLevel("x", severity: .min)), .level(LogLevel("x", severity: -1)),
    .level(LogLevel("", severity: 0)), .level(.debug), .level(LogLevel("e", severity: 100)),
    .level(.fault), .level(LogLevel("", severity: .max)), .identity(UniqueID(bits: 0)),
    .identity(UniqueID(bits: 1 << 64)), .identity(UniqueID(bits: .max)), .list([]), .list([""]),
    .list(["", ""]), .list(["a"]), .list(["a", ""]), .list(["a", "b"]), .list(["a\0b"]),
    .list(["ab"]),
  ]

  @Test func termsComeBackAndAscendAsTheirBytesDo() {
    for (index, term) in Self.ascending.enumerated() {
      let bytes = term.encoded()
      let read = Term(encoded: bytes.rawSpan)
      #expect(read == term)
      for (other, later) in Self.ascending.enumerated() {
        #expect((term == later) == (index == other), "\(term), \(later)")
        #expect((term < later) == (index < other), "\(term), \(later)")
        let laterBytes = later.encoded()
        let precedes = bytes.rawSpan.precedes(laterBytes.rawSpan)
        #expect(precedes == (index < other), "\(term), \(later)")
      }
    }
    #expect(Set(Self.ascending).count == Self.ascending.count)
  }

  @Test(
    arguments: [
      [], [0], [9], [1], [1, 2], [1, 0, 0], [2, 0], [3, 1, 2, 3], [4, 0xff], [5, 0xc3],
      [6, 0, 0, 0],
      [6, 0, 0, 0, 0, 0xff], [7, 0], [8, 0x61], [8, 0xc3, 0], [8, 0, 0xff],
    ] as [[UInt8]])
  func bytesThatAreNoTermAreRefused(_ bytes: [UInt8]) {
    let read = Term(encoded: bytes.rawSpan)
    #expect(read == nil)
  }
}

@Suite struct TermDictionaryTests {
  /// The bytes of a dictionary of the terms, and their order.
  private func dictionary(_ terms: [Term]) -> [UInt8] {
    var interner = TermInterner()
    for term in terms { _ = interner.intern(term.encoded().rawSpan) }
    var writer = ByteWriter()
    writer.termDictionary(interner, order: interner.sorted())
    return writer.bytes
  }

  private func randomTerms(_ count: Int, using random: inout SeededRandom) -> [Term] {
    (0..<count).map { _ in
      switch random.next() % 4 {
      case 0: .int(Int64(truncatingIfNeeded: random.next() % 64))
      case 1: .string("pay_\(random.next() % 500)")
      case 2: .string(String(repeating: "x", count: Int(random.next() % 40)))
      default: .double(Double(bitPattern: random.next()))
      }
    }
  }

  @Test(arguments: [1, 15, 16, 17, 32, 33, 500])
  func everyTermIsFoundAndNoOther(_ count: Int) {
    var random = SeededRandom(seed: UInt64(count))
    let expected = Set(randomTerms(count, using: &random)).sorted()
    let bytes = dictionary(expected.shuffled(using: &random))
    let read = TermDictionary(bytes.rawSpan, count: expected.count)?.terms()
    #expect(read == expected)
    for (index, term) in expected.enumerated() {
      let found = TermDictionary(bytes.rawSpan, count: expected.count)?.term(at: index)
      #expect(found == term)
      let sought = term.encoded()
      let place = TermDictionary(bytes.rawSpan, count: expected.count)?.place(of: sought.rawSpan)
      #expect(place == .found(index))
    }
    for term in randomTerms(200, using: &random) where !expected.contains(term) {
      let sought = term.encoded()
      let place = TermDictionary(bytes.rawSpan, count: expected.count)?.place(of: sought.rawSpan)
      #expect(place == .absent, "\(term)")
    }
  }

  @Test func damagedDictionariesAreReadOrRefused() {
    var random = SeededRandom(seed: 3)
    let terms = Set(randomTerms(60, using: &random))
    let pristine = dictionary(Array(terms))
    for _ in 0..<1000 {
      var bytes = pristine
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(
        truncatingIfNeeded: random.next())
      if Bool.random(using: &random) { bytes.removeLast(Int(random.next() % 20)) }
      // Whatever comes out ascends; looking up and reading one by one must only not trap.
      if let read = TermDictionary(bytes.rawSpan, count: terms.count)?.terms() {
        #expect(zip(read, read.dropFirst()).allSatisfy { $0 < $1 })
      }
      for index in [0, 17, terms.count - 1] {
        _ = TermDictionary(bytes.rawSpan, count: terms.count)?.term(at: index)
      }
      let sought = Term.string("pay_77").encoded()
      _ = TermDictionary(bytes.rawSpan, count: terms.count)?.place(of: sought.rawSpan)
    }
  }
}

@Suite struct TermInternerTests {
  @Test func equalBytesHaveOneNumber() {
    var random = SeededRandom(seed: 9)
    var interner = TermInterner()
    var numbers: [[UInt8]: UInt32] = [:]
    for _ in 0..<5000 {
      let bytes = random.bytes(Int(random.next() % 3))
      let number = interner.intern(bytes.rawSpan)
      if let known = numbers[bytes] {
        #expect(number == known)
      } else {
        #expect(Int(number) == numbers.count)
        numbers[bytes] = number
      }
    }
    #expect(interner.count == numbers.count)
    for (bytes, number) in numbers {
      let read = interner[number].toArray()
      #expect(read == bytes)
    }
  }

  @Test func sortingIsThatOfTheBytes() {
    var random = SeededRandom(seed: 10)
    for prefix in [[], [1, 2], [UInt8](repeating: 3, count: 12)] as [[UInt8]] {
      var interner = TermInterner()
      for _ in 0..<500 {
        let bytes = prefix + random.bytes(Int(random.next() % 14)).map { $0 % 3 }
        _ = interner.intern(bytes.rawSpan)
      }
      let sorted = interner.sorted().map { interner[$0].toArray() }
      #expect(sorted == sorted.sorted { $0.lexicographicallyPrecedes($1) })
      #expect(Set(sorted).count == interner.count)
    }
  }
}
