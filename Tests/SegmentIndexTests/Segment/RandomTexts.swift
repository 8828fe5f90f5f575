import TestSupport

/// Texts such as logs have, and such as nobody logs.
struct RandomTexts {
  private var random: SeededRandom

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  mutating func texts(_ count: Int) -> [[UInt8]] {
    (0..<count).map { _ in text() }
  }

  private mutating func text() -> [UInt8] {
    switch below(24) {
    case 0: return []
    case 1: return random.bytes(below(200))
    case 2: return Array(String(repeating: "free text ", count: below(600)).utf8)
    case 3: return Array((0..<below(90)).map { "\($0)" }.joined(separator: " ").utf8)
    case 4:
      return (0..<below(30)).map { _ in Array("0123456789abcdefgxyzABF.-\0 é".utf8)[below(29)] }
    default: return Array(line().utf8)
    }
  }

  private mutating func line() -> String {
    switch below(12) {
    case 0: "worker \(below(16)) took \(fraction(2)) ms, \(below(3000)) bytes left"
    case 1: "upload \(hex(8)) of IMG_\(padded(below(10_000), 4)).jpg done"
    case 2: "peer 10.\(below(256)).\(below(256)).\(below(256)) answered \(200 + below(330))"
    case 3: "trace \(hex(32)) span \(hex(16)) \(hex(8))-\(hex(4))-\(hex(4))-\(hex(4))-\(hex(12))"
    case 4: #"{"net":{"bytes":\#(below(1 << 20)),"ms":\#(fraction(1))},"thread":\#(below(32))}"#
    case 5: "pid \(below(3) == 0 ? "0\(below(99))" : "\(below(99_999))") exit -\(below(9))"
    case 6: "user u\(padded(below(5000), 4)) token \(base(12))"
    case 7:
      "at \(1_700_000_000_000_000_000 + Int(random.next() % 1_000_000_000_000)) v\(below(4)).\(below(20)).\(below(9))"
    case 8: "ID \(hex(6).uppercased()) 0x\(hex(5)) \(below(1000))ms é \(below(7))"
    case 9: "ratio \(Double(below(100_000)) / Double([1, 10, 100, 1000][below(4)]))"
    case 10: "hash \(hex(7 + below(2)))"
    default: "nothing varies here"
    }
  }

  private mutating func fraction(_ digits: Int) -> String {
    "\(below(1000)).\(padded(below(digits == 1 ? 10 : 100), digits))"
  }

  private mutating func hex(_ count: Int) -> String {
    (0..<count).map { _ in String(below(16), radix: 16) }.joined()
  }

  private mutating func base(_ count: Int) -> String {
    String((0..<count).map { _ in Array("abcXYZ0189")[below(10)] })
  }

  private func padded(_ number: Int, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  private mutating func below(_ limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &random)
  }
}
