extension TextBuffer {
  /// Appends `true` or `false`.
  package func append(_ value: Bool) {
    if value { append("true") } else { append("false") }
  }

  /// Appends a number in decimal digits.
  package func append(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(value.magnitude)
  }

  /// Appends a number in decimal digits.
  package func append(_ value: UInt64) {
    let (upper, last) = value.quotientAndRemainder(dividingBy: 100_000_000)
    if upper == 0 { return append(leading: Self.digits(last)) }
    let (top, middle) = upper.quotientAndRemainder(dividingBy: 100_000_000)
    if top == 0 {
      append(leading: Self.digits(middle))
    } else {
      append(leading: Self.digits(top))
      append(word: Self.digits(middle), count: 8)
    }
    append(word: Self.digits(last), count: 8)
  }

  /// Appends a number as Swift describes it: the fewest digits that read back as the same number.
  package func append(_ value: Double) {
    if !appendThousandths(of: value) { append(raw: value.description) }
  }

  /// Appends a number that has no more than three decimals, and no more than fifteen digits; false when it has.
  ///
  /// Any two numbers of fifteen digits are different doubles: if these read back as this one, no other digits do, but for
  /// zeros at the end.
  private func appendThousandths(of value: Double) -> Bool {
    let scaled = value.magnitude * 1_000 + 0.5
    guard scaled < 1e15 else { return false }
    let number = UInt64(scaled)
    guard number != 0, Double(number) / 1_000 == value.magnitude else { return false }
    if value < 0 { append(UInt8(ascii: "-")) }
    let (whole, thousandths) = number.quotientAndRemainder(dividingBy: 1_000)
    append(whole)
    append(UInt8(ascii: "."))
    let digits = Self.digits(thousandths) >> 40
    append(
      word: digits,
      count: digits & 0xffff00 == 0 ? 1 : digits & 0xff0000 == 0 ? 2 : 3)
    return true
  }

  /// Appends eight digits without the zeros that they begin with; the last one is there in any case.
  private func append(leading digits: UInt64) {
    let zeros = min(digits.trailingZeroBitCount >> 3, 7)
    append(word: (digits | 0x3030_3030_3030_3030) >> UInt64(zeros << 3), count: 8 - zeros)
  }

  /// The eight decimal digits of a number below 100 million: a byte for each, the first one lowest, from 0 on or as ASCII.
  ///
  /// All are made at once: the number's halves, then the halves of those, then of those again, side by side in one word.
  private static func digits(_ value: UInt64) -> UInt64 {
    let halves = value / 10_000 | (value % 10_000) << 32
    let hundreds = (halves &* 10_486) >> 20 & 0x7f_0000_007f
    let pairs = hundreds | (halves &- hundreds &* 100) << 16
    let tens = (pairs &* 103) >> 10 & 0x000f_000f_000f_000f
    return tens | (pairs &- tens &* 10) << 8
  }

  /// Appends the low `count` bytes of `word`, digits or their values.
  private func append(word: UInt64, count: Int) {
    let ascii = (word | 0x3030_3030_3030_3030).littleEndian
    unsafe end(withRoomFor: 8).storeBytes(of: ascii, as: UInt64.self)
    unsafe state.pointee.length += count
  }
}
