import SegmentIndex
import TestSupport
import Testing

@Suite struct UniqueIDReadingTests {
  @Test func readsBackWhatItWrites() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<500 {
      let id = UniqueID(bits: UInt128.random(in: 0...UInt128.max, using: &random))
      let text = id.description
      #expect(UniqueID(text) == id, "\(random)")
      #expect(UniqueID(text.uppercased()) == id, "\(random)")
      #expect(UniqueID(text.filter { $0 != "-" }) == id, "\(random)")
    }
  }

  /// Every byte at every place is a hexadecimal digit, a hyphen where one belongs, or refused.
  @Test func everyOtherByteIsRefused() {
    let text = Array("01234567-89ab-cdef-ABCD-EF0123456789".utf8)
    for place in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[place] = byte
        let digit = Character(Unicode.Scalar(byte)).hexDigitValue
        let isHyphen = [8, 13, 18, 23].contains(place)
        let isRight = isHyphen ? byte == UInt8(ascii: "-") : byte < 0x80 && digit != nil
        let id = UniqueID(String(decoding: changed.map { $0 < 0x80 ? $0 : 0x7f }, as: UTF8.self))
        if byte < 0x80 { #expect((id != nil) == isRight, "\(place) \(byte)") }
      }
    }
  }
}
