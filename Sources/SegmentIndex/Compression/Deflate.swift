/// The compressed format of RFC 1951, for small segments as a whole.
package enum Deflate {
  /// The most bytes that one compressed byte can stand for.
  package static let maximumRatio = 1032

  static let minimumMatch = 3
  static let maximumMatch = 258
  static let windowSize = 1 << 15
  static let endOfBlock = 256
  static let literalCount = 286
  static let distanceCount = 30

  /// The order in which the lengths of the codes of lengths are written.
  static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// By symbol less 257: the least length, and the bits of what is added.
  static let lengths = Steps(
    first: 3,
    extraBits: [
      0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5,
    ], last: maximumMatch)
  /// By symbol: the least distance, and the bits of what is added.
  static let distances = Steps(
    first: 1,
    extraBits: [
      0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
      13,
    ], last: nil)

  /// Numbers by symbols, each of which stands for a power of two of them.
  struct Steps: Sendable {
    let bases: [Int]
    let extraBits: [Int]

    /// - Parameter last: a number that has a symbol to itself, after all others.
    init(first: Int, extraBits: [Int], last: Int?) {
      var bases: [Int] = []
      var next = first
      for bits in extraBits {
        bases.append(next)
        next += 1 << bits
      }
      self.bases = bases + (last.map { [$0] } ?? [])
      self.extraBits = extraBits + (last == nil ? [] : [0])
    }

    /// The symbol of a number.
    func symbol(of number: Int) -> Int {
      bases.indices.partitionPoint { bases[$0] <= number } - 1
    }
  }
}
