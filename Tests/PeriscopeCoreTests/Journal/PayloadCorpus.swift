import TestSupport

// Types that encode themselves in every way that Swift's protocols allow.

/// Puts the fields of another level into its own, one container after the other.
struct Flattened: Encodable {
  enum Key: CodingKey { case a, inner, list, b }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .a)
    var inner = values.nestedContainer(keyedBy: Key.self, forKey: .inner)
    try inner.encode("x", forKey: .a)
    try inner.encodeNil(forKey: .b)
    var list = values.nestedUnkeyedContainer(forKey: .list)
    try list.encode(1)
    try list.encodeNil()
    try list.encode(contentsOf: [true, false])
    var nested = list.nestedContainer(keyedBy: Key.self)
    try nested.encode(Flat(x: 1), forKey: .a)
    var deeper = list.nestedUnkeyedContainer()
    try deeper.encode(UInt64.max)
    try values.encodeIfPresent(Flat(x: 2), forKey: .b)
  }
}

struct Flat: Codable {
  var x: Int
}

/// Goes on with an outer container while an inner one is not finished.
struct Interleaved: Encodable {
  enum Key: CodingKey { case inner, list, a, b }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    var inner = values.nestedContainer(keyedBy: Key.self, forKey: .inner)
    var list = values.nestedUnkeyedContainer(forKey: .list)
    try values.encode(1, forKey: .a)
    try inner.encode(2, forKey: .a)
    try list.encode(3)
    try values.encode("last", forKey: .b)
    try inner.encode(4, forKey: .b)
  }
}

class Superclass: Encodable {
  enum Key: CodingKey { case a, both }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .a)
    try values.encode("super", forKey: .both)
  }
}

/// Shares the object of its superclass, and one of its keys.
final class Subclass: Superclass {
  enum OwnKey: CodingKey { case b, both }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var values = encoder.container(keyedBy: OwnKey.self)
    try values.encode(2, forKey: .b)
    try values.encode("sub", forKey: .both)
  }
}

/// Leaves parts of itself to encoders for a superclass.
struct SuperEncoded: Encodable {
  enum Key: CodingKey { case a, other, list }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try Flat(x: 1).encode(to: values.superEncoder())
    try Flat(x: 2).encode(to: values.superEncoder(forKey: .other))
    var list = values.nestedUnkeyedContainer(forKey: .list)
    try Flat(x: 3).encode(to: list.superEncoder())
    try values.encode(1, forKey: .a)
  }
}

/// Asks for its superclass's encoder first, and uses it last.
struct LateSuper: Encodable {
  enum Key: CodingKey { case a, b }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    let first = values.superEncoder()
    let second = values.superEncoder(forKey: .b)
    try values.encode(1, forKey: .a)
    var single = second.singleValueContainer()
    try single.encode("late")
    try Flat(x: 2).encode(to: first)
  }
}

/// Fills two lists of objects side by side.
struct SideBySide: Encodable {
  enum Key: CodingKey { case names, sizes, value }
  var count: Int

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    var names = values.nestedUnkeyedContainer(forKey: .names)
    var sizes = values.nestedUnkeyedContainer(forKey: .sizes)
    for number in 0..<count {
      var name = names.nestedContainer(keyedBy: Key.self)
      try name.encode("photo \(number)", forKey: .value)
      var size = sizes.nestedContainer(keyedBy: Key.self)
      try size.encode(number, forKey: .value)
    }
  }
}

/// Writes keys twice: a value, and an object whose parts come one by one.
struct TwoOfAKey: Encodable {
  enum Key: CodingKey { case a, meta, b }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .a)
    var meta = values.nestedContainer(keyedBy: Key.self, forKey: .meta)
    try meta.encode(1, forKey: .a)
    var more = values.nestedContainer(keyedBy: Key.self, forKey: .meta)
    try more.encode(2, forKey: .b)
    try values.encode(2, forKey: .a)
  }
}

/// Has `count` keys, and the last of them twice.
struct ManyKeys: Encodable {
  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
  var count: Int
  var repeats: Bool

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    for number in 0..<count {
      try values.encode(["x": number], forKey: Key(stringValue: "key \(number)"))
    }
    if repeats { try values.encode(-1, forKey: Key(stringValue: "key \(count - 1)")) }
  }
}

/// Asks for its container again when it is not the innermost one any more.
struct AskedAgain: Encodable {
  enum Key: CodingKey { case list, a, b }

  struct Element: Encodable {
    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      try values.encode(1, forKey: .a)
      var again = encoder.container(keyedBy: Key.self)
      try again.encode(2, forKey: .b)
      try values.encode(3, forKey: .list)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode([Element(), Element()], forKey: .list)
  }
}

/// Encodes an object where a scalar is already.
struct ScalarAndObject: Encodable {
  enum Key: CodingKey { case a }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(1)
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(2, forKey: .a)
  }
}

/// Encodes nothing at all.
struct Nothing: Encodable {
  func encode(to encoder: any Encoder) throws {}
}

struct Throwing: Encodable {
  struct Failure: Error {}

  func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    try values.encode(1)
    throw Failure()
  }
}

/// Encodes two values where there is room for one.
struct Twice: Encodable {
  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(1)
    try value.encode(2)
  }
}

/// A list in a list in a list, without taking much of the stack to be made.
struct Deep: Encodable {
  var levels: Int

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    if levels > 1 { try list.encode(Deep(levels: levels - 1)) }
  }
}

/// Anything.
indirect enum RandomValue: Encodable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case float(Float)
  case text(String)
  case list([RandomValue])
  case object([String: RandomValue])
  case shape(PayloadEncoderTests.Shape)
  case optional(Int?)

  init(using random: inout SeededRandom, depth: Int) {
    func value() -> RandomValue { RandomValue(using: &random, depth: depth + 1) }
    switch Int.random(in: 0..<(depth < 5 ? 10 : 7), using: &random) {
    case 0: self = .null
    case 1: self = .bool(.random(using: &random))
    case 2: self = .int(Int(truncatingIfNeeded: random.next()))
    case 3: self = .double(Double(bitPattern: random.next()))
    case 4: self = .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
    case 5: self = .text(String(decoding: random.bytes(5), as: UTF8.self))
    case 6: self = .optional(Bool.random(using: &random) ? 1 : nil)
    case 7: self = .list((0..<Int.random(in: 0..<4, using: &random)).map { _ in value() })
    case 8:
      let count = Int.random(in: 0..<4, using: &random)
      self = .object(
        Dictionary((0..<count).map { ("\($0)", value()) }, uniquingKeysWith: { $1 }))
    default: self = .shape(.pair(Int(depth), "x"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var single = encoder.singleValueContainer()
    switch self {
    case .null: try single.encodeNil()
    case .bool(let value): try single.encode(value)
    case .int(let value): try single.encode(value)
    case .double(let value): try single.encode(value)
    case .float(let value): try single.encode(value)
    case .text(let value): try single.encode(value)
    case .list(let value): try single.encode(value)
    case .object(let value): try single.encode(value)
    case .shape(let value): try single.encode(value)
    case .optional(let value): try single.encode(value)
    }
  }
}
