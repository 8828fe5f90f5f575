import JournalKit
import TestSupport
import Testing

@Suite struct TextBufferTests {
  private func text(_ body: (TextBuffer) -> Void) -> String {
    // So small that it must grow all the time.
    let buffer = TextBuffer(capacity: 1)
    body(buffer)
    return String(decoding: buffer.array, as: UTF8.self)
  }

  @Test func numbersReadAsTheyDoElsewhere() {
    var random = SeededRandom(seed: 1)
    var numbers: [Int64] = [0, 1, 9, 10, 99, 100, 101, 999, 1_000, -1, -10, .min, .max]
    for bits in 0..<64 { numbers.append(Int64(truncatingIfNeeded: random.next() >> UInt64(bits))) }
    for number in numbers {
      #expect(text { $0.append(number) } == String(number))
      let magnitude = UInt64(bitPattern: number)
      #expect(text { $0.append(magnitude) } == String(magnitude))
    }
  }

  @Test func fractionsReadAsTheyDoElsewhere() {
    var random = SeededRandom(seed: 2)
    var numbers: [Double] = [
      0, -0.0, 1, -1, 0.1, 0.25, 0.001, -0.001, 0.0005, 0.0009999, 1.05, 12.5, 100, 4.35, 1e11,
      999_999_999_999.999, 999_999_999_999.9999, 1e12, 1e15, 1e16, 1e-7, .pi, .infinity, .nan,
      .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]
    for _ in 0..<2_000 {
      let places = Double([1, 10, 100, 1_000, 10_000].randomElement(using: &random) ?? 1)
      numbers.append(
        (Double.random(in: -1...1, using: &random) * 1e9).rounded() / places)
      numbers.append(Double(bitPattern: random.next()))
      numbers.append(numbers[numbers.count - 2].nextUp)
    }
    for number in numbers {
      #expect(text { $0.append(number) } == number.description)
    }
  }

  @Test func truthValuesHaveWords() {
    #expect(text { $0.append(true) } == "true" && text { $0.append(false) } == "false")
  }

  @Test func aCopyHasTheBeginningAndAnEndOfItsOwn() {
    let buffer = TextBuffer()
    buffer.append(raw: "begun")
    let copy = buffer.copy(count: 3)
    buffer.append("-here")
    copy.append("-there")
    #expect(buffer.string == "begun-here" && copy.string == "beg-there")
    #expect(buffer.hash(from: 0) != copy.hash(from: 0))
    let rest = TextBuffer()
    rest.append("here")
    #expect(buffer.hash(from: 6) == rest.hash(from: 0))
  }

  @Test func oneBufferIsQuotedInAnother() {
    let inner = TextBuffer()
    inner.append(raw: "a \"b\" c")
    #expect(text { $0.append(quoted: inner) } == #""a \"b\" c""#)
  }

  @Test func piecesFollowOneAnother() {
    let long = String(repeating: "long ", count: 100)
    #expect(
      text {
        $0.append("static")
        $0.append(UInt8(ascii: "-"))
        $0.append(raw: long)
        $0.append(raw: "")
        $0.append(Array("bytes".utf8).rawSpan)
        $0.append(RawSpan())
      } == "static-" + long + "bytes")
  }

  @Test func stringsAreEscapedWhereverTheSpecialByteStands() {
    for special in ["\"", "\\", "\n", "\t", "\r", "\u{8}", "\u{c}", "\u{0}", "\u{1f}"] {
      for before in 0..<20 {
        for after in [0, 1, 7, 8, 9] {
          let plain = (String(repeating: "x", count: before), String(repeating: "é", count: after))
          let escaped =
            switch special {
            case "\"": #"\""#
            case "\\": #"\\"#
            case "\n": #"\n"#
            case "\t": #"\t"#
            case "\r": #"\r"#
            case "\u{8}": #"\b"#
            case "\u{c}": #"\f"#
            case "\u{0}": #"\u0000"#
            default: #"\u001f"#
            }
          #expect(
            text { $0.append(quoted: plain.0 + special + plain.1) }
              == "\"" + plain.0 + escaped + plain.1 + "\"")
        }
      }
    }
  }

  @Test func noOtherByteIsEscaped() {
    for scalar in (0x20..<0x800).compactMap(Unicode.Scalar.init)
    where scalar != "\"" && scalar != "\\" {
      let word = String(repeating: Character(scalar), count: 9)
      #expect(text { $0.append(quoted: word) } == "\"\(word)\"")
    }
  }

  @Test func whatWasMuchIsGivenBack() {
    let buffer = TextBuffer()
    for _ in 1...3 {
      buffer.append(raw: String(repeating: "x", count: 100_000))
      #expect(buffer.array.count == 100_000)
      buffer.removeAll()
      #expect(buffer.array.isEmpty)
      buffer.append("again")
      #expect(buffer.array == Array("again".utf8))
      buffer.removeAll()
    }
  }
}
