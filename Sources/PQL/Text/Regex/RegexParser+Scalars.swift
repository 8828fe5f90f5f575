// Escapes and classes: the parts of an expression that stand for single scalars.

extension RegexParser {
  /// What an escape stands for.
  enum Escape {
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case assertion(RegexTree.Assertion)
  }

  /// The escape whose backslash is at `start` and has been read.
  mutating func escape(from start: Int) throws(RegexError) -> Escape {
    guard let scalar = next else {
      throw error("a `\\` at the end escapes nothing; write \\\\ for a backslash", from: start)
    }
    position += 1
    switch scalar {
    case "d": return .set(.digits)
    case "D": return .set(ScalarSet.digits.inverted)
    case "w": return .set(.wordScalars)
    case "W": return .set(ScalarSet.wordScalars.inverted)
    case "s": return .set(.spaces)
    case "S": return .set(ScalarSet.spaces.inverted)
    case "b": return .assertion(.wordBoundary)
    case "B": return .assertion(.noWordBoundary)
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "t": return .scalar("\t")
    case "f": return .scalar("\u{0c}")
    case "v": return .scalar("\u{0b}")
    case "x", "u": return .scalar(try scalarByNumber(digits: scalar == "x" ? 2 : 4, from: start))
    default:
      if scalar.isASCII, !scalar.isASCIILetter, !scalar.isASCIIDigit,
        scalar.value > 0x20 || scalar == " "
      {
        return .scalar(scalar)
      }
      throw unknownEscape(scalar, from: start)
    }
  }

  private func unknownEscape(_ scalar: Unicode.Scalar, from start: Int) -> RegexError {
    let reason: String
    switch scalar {
    case "1"..."9", "k", "g": reason = "back-references are not supported"
    case "p", "P": reason = "Unicode properties are not supported"
    case "A": reason = "write ^ for the start of the text"
    case "z", "Z": reason = "write $ for the end of the text"
    case "Q", "E": reason = "quoting with \\Q is not supported"
    case "X", "R", "h", "H", "N", "K", "G", "C":
      reason = "\\\(scalar) is not supported"
    default: return error("\\\(scalar) is no escape", from: start)
    }
    return error(reason, kind: .unsupported, from: start)
  }

  /// The scalar of `\x41`, `\u0041`, `\x{1F600}` or `\u{1F600}`.
  private mutating func scalarByNumber(
    digits: Int, from start: Int
  ) throws(RegexError) -> Unicode.Scalar {
    let isBraced = take("{")
    let limit = isBraced ? 6 : digits
    var value: UInt32 = 0
    var count = 0
    while count < limit, let scalar = next, scalar.isASCII,
      let digit = Character(scalar).hexDigitValue
    {
      value = value << 4 | UInt32(digit)
      position += 1
      count += 1
    }
    guard isBraced ? count > 0 && take("}") : count == digits else {
      throw error(
        "a scalar is written \\x41, \\u0041 or \\x{1F600}, in hexadecimal digits", from: start)
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw error("there is no scalar of this number", from: start)
    }
    return scalar
  }

  // MARK: Classes

  /// The class whose bracket is at `start` and has been read.
  mutating func scalarClass(from start: Int) throws(RegexError) -> ScalarSet {
    let isInverted = take("^")
    var set = ScalarSet([])
    var isEmpty = true
    while true {
      guard let scalar = next else {
        throw error("this `[` is never closed; write \\[ for a bracket", from: start, to: start + 1)
      }
      if scalar == "]" {
        guard !isEmpty else {
          throw error(
            "a class has at least one scalar; write \\] for a bracket", from: start,
            to: position + 1)
        }
        position += 1
        return isInverted ? set.inverted : set
      }
      set = set.union(try classItem())
      isEmpty = false
    }
  }

  /// A scalar, a range or an escape of a class.
  private mutating func classItem() throws(RegexError) -> ScalarSet {
    let start = position
    guard let low = try classBound() else { return try classSet(from: start) }
    // A minus at the end is itself.
    guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
      return folding(ScalarSet(low))
    }
    position += 1
    guard let high = try classBound() else {
      throw error("a range ends with a scalar", from: start)
    }
    guard low <= high else {
      throw error("`\(low)` comes after `\(high)`", from: start)
    }
    return folding(ScalarSet([low.value...high.value]))
  }

  /// The scalar that stands next in a class; nil, with the position after it, when it is an escape for a
  /// whole set.
  private mutating func classBound() throws(RegexError) -> Unicode.Scalar? {
    let start = position
    guard let scalar = next else { return nil }
    position += 1
    if scalar == "[", let kind = next, ":.=".unicodeScalars.contains(kind) {
      throw error(
        "POSIX classes are not supported", kind: .unsupported, from: start, to: position + 1)
    }
    guard scalar == "\\" else { return scalar }
    switch try escape(from: start) {
    case .scalar(let scalar): return scalar
    case .set: return nil
    case .assertion: throw error("\\\(scalars[start + 1]) is no scalar", from: start)
    }
  }

  /// The set of the escape at `start`.
  private mutating func classSet(from start: Int) throws(RegexError) -> ScalarSet {
    position = start + 1
    guard case .set(let set) = try escape(from: start) else { return ScalarSet([]) }
    if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
      throw error(
        "a range begins with a scalar; write \\- for a minus", from: start, to: position + 1)
    }
    return set
  }
}
