/// The syllables of Hangul, which are composed by arithmetic.
enum Hangul {
  static let initials: Range<UInt32> = 0x1100..<0x1113
  static let vowels: Range<UInt32> = 0x1161..<0x1176
  static let finals: Range<UInt32> = 0x11a8..<0x11c3
  static let syllables: Range<UInt32> = 0xac00..<0xd7a4

  static func parts(of value: UInt32) -> [UInt32]? {
    guard syllables.contains(value) else { return nil }
    let index = value - syllables.lowerBound
    let (initial, vowel, final) = (index / 588, index % 588 / 28, index % 28)
    let pair = [initials.lowerBound + initial, vowels.lowerBound + vowel]
    return final == 0 ? pair : pair + [finals.lowerBound + final - 1]
  }

  static func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
    if initials.contains(first), vowels.contains(second) {
      let index = (first - initials.lowerBound) * 21 + second - vowels.lowerBound
      return syllables.lowerBound + index * 28
    }
    if syllables.contains(first), (first - syllables.lowerBound) % 28 == 0, finals.contains(second)
    {
      return first + second - finals.lowerBound + 1
    }
    return nil
  }
}
