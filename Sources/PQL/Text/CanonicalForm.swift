/// Unicode's normal form C: one spelling for all canonically equivalent ones, such as é for e and ´.
///
/// Scalars are numbers here. Numbers past U+10FFFF may stand among them for what is none, and stay.
package struct CanonicalForm: Sendable {
  package static let shared = CanonicalForm()

  /// What two scalars in a row become, by both of them.
  private var composites: [UInt64: UInt32] = [:]
  /// The scalars that one is made of, none of which is made of others.
  private var parts: [UInt32: [UInt32]] = [:]
  /// A bit for each scalar below U+1F000 that can change a text or itself be changed.
  private var active = [UInt64](repeating: 0, count: 0x1f000 / 64)

  private init() {
    addCompositions()
    addReplacements()
    for range in Self.searched {
      for value in range where Self.combiningClass(of: value) != 0 { activate(value) }
    }
    for value in Hangul.vowels { activate(value) }
    for value in Hangul.finals { activate(value) }
  }

  /// Where marks that combine are. Asking about every scalar there is would take longer than most queries.
  private static let searched: [ClosedRange<UInt32>] = [
    0x300...0x2dff, 0x3000...0x30ff, 0xa600...0xabff, 0xfb00...0x11fff, 0x16000...0x16fff,
    0x1bc00...0x1bcff, 0x1d000...0x1efff,
  ]

  private mutating func addCompositions() {
    var pairs: [UInt32: (first: UInt32, second: UInt32)] = [:]
    for line in CanonicalMappings.compositions.unicodeScalars.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let second = words.first?.first?.value else { continue }
      activate(second)
      for word in words.dropFirst() {
        let (first, composite) = (word[word.startIndex].value, word.last?.value ?? 0)
        composites[Self.key(first, second)] = composite
        pairs[composite] = (first, second)
      }
    }
    for composite in pairs.keys {
      var rest: [UInt32] = []
      var first = composite
      while let pair = pairs[first] {
        rest.append(pair.second)
        first = pair.first
      }
      parts[composite] = [first] + rest.reversed()
    }
  }

  private mutating func addReplacements() {
    for word in CanonicalMappings.replacements.unicodeScalars.split(whereSeparator: {
      $0 == " " || $0 == "\n"
    }) {
      let values = word.map(\.value)
      activate(values[0])
      parts[values[0]] = values.dropFirst().flatMap { parts[$0] ?? [$0] }
    }
  }

  private mutating func activate(_ value: UInt32) {
    // What is replaced beyond the table is known from `parts`.
    guard value < 0x1f000 else { return }
    active[Int(value / 64)] |= 1 << UInt64(value % 64)
  }

  private static func key(_ first: UInt32, _ second: UInt32) -> UInt64 {
    UInt64(first) << 32 | UInt64(second)
  }

  private static func combiningClass(of value: UInt32) -> Int {
    Unicode.Scalar(value).map { Int($0.properties.canonicalCombiningClass.rawValue) } ?? 0
  }

  // MARK: Normalising

  /// Whether the scalar never changes and never changes others: a text of only such scalars is normal.
  package func isInert(_ value: UInt32) -> Bool {
    if value < 0x300 { return true }
    if value < 0x1f000 { return active[Int(value / 64)] >> UInt64(value % 64) & 1 == 0 }
    return value < 0x2_0000 || parts[value] == nil
  }

  /// The scalars in normal form.
  package func normalized(_ scalars: [UInt32]) -> [UInt32] {
    var decomposed: [(scalar: UInt32, combiningClass: Int)] = []
    decomposed.reserveCapacity(scalars.count)
    var marks = 0
    for scalar in scalars {
      for part in parts[scalar] ?? Hangul.parts(of: scalar) ?? [scalar] {
        let combiningClass = isInert(part) ? 0 : Self.combiningClass(of: part)
        if combiningClass == 0 { Self.order(&decomposed, last: marks) }
        marks = combiningClass == 0 ? 0 : marks + 1
        decomposed.append((part, combiningClass))
      }
    }
    Self.order(&decomposed, last: marks)
    return composed(decomposed)
  }

  /// Sorts the last `count` scalars, which are marks in a row, by their class. Marks of one class stay in
  /// their order.
  private static func order(
    _ scalars: inout [(scalar: UInt32, combiningClass: Int)], last count: Int
  ) {
    guard count > 1 else { return }
    let marks = scalars.suffix(count).enumerated().sorted {
      ($0.element.combiningClass, $0.offset) < ($1.element.combiningClass, $1.offset)
    }
    scalars.replaceSubrange((scalars.count - count)..., with: marks.map(\.element))
  }

  private func composed(_ scalars: [(scalar: UInt32, combiningClass: Int)]) -> [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(scalars.count)
    // Where the last scalar of class 0 is, and the class of what stands last after it: -1 for nothing.
    var starter: Int?
    var lastClass = -1
    for (scalar, combiningClass) in scalars {
      if let starter, lastClass < combiningClass, let composite = composite(result[starter], scalar)
      {
        result[starter] = composite
        continue
      }
      if combiningClass == 0 { starter = result.count }
      lastClass = combiningClass == 0 ? -1 : combiningClass
      result.append(scalar)
    }
    return result
  }

  private func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
    composites[Self.key(first, second)] ?? Hangul.composite(first, second)
  }
}
