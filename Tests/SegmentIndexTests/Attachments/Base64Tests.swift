import SegmentIndex
import TestSupport
import Testing

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func theExamplesOfTheStandard(bytes: String, text: String) {
    #expect(Base64.encode(Array(bytes.utf8)) == text)
    #expect(Base64.decode(text) == Array(bytes.utf8))
  }

  @Test func whatIsEncodedIsDecoded() {
    var random = SeededRandom(seed: 5)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zg===", "=", "====", "Zg==Zg==", "Zm9v=", "Z=g=", "Zh==", "Zm9=", "Zm 9",
    "Zm9*",
    "Zm9\u{e9}", "_-__",
  ])
  func anythingElseIsNot(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
