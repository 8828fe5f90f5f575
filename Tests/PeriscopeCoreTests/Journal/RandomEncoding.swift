import TestSupport

/// Uses containers as Swift's protocols allow it, at random: several are open at once, filled in any order, asked for
/// twice, left empty, and handed to a superclass. What a key is for follows from its name, since Foundation traps when a
/// key is used for two different kinds of container.
///
/// The same seed encodes the same each time.
struct RandomEncoding: Encodable {
  let seed: UInt64
  /// Whether containers are finished one after the other, so that it takes no tree.
  var isOrderly = false

  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    init(_ kind: Character, _ number: Int) {
      stringValue = "\(kind)\(number)" + ["", "\"", "é\u{2028}", "/\n"][number & 3]
    }
  }

  enum Container {
    case object(KeyedEncodingContainer<Key>)
    case list(any UnkeyedEncodingContainer)
  }

  func encode(to encoder: any Encoder) throws {
    var random = SeededRandom(seed: seed)
    var open: [Container] = [
      .object(encoder.container(keyedBy: Key.self))
    ]
    for number in 0..<Int.random(in: 0..<25, using: &random) {
      let index = isOrderly ? open.count - 1 : open.indices.randomElement(using: &random) ?? 0
      switch open[index] {
      case .object(var object):
        // Where there is no tree, a key must not come twice.
        let name = isOrderly ? number : Int.random(in: 0..<6, using: &random)
        if let new = try Self.fill(&object, name, &random, isOrderly) { open.append(new) }
        open[index] = .object(object)
      case .list(var list):
        if let new = try Self.fill(&list, &random, isOrderly) { open.append(new) }
        open[index] = .list(list)
      }
      // Back to a container around it, for good.
      if isOrderly, open.count > 1, Int.random(in: 0..<3, using: &random) == 0 { open.removeLast() }
    }
  }

  private static func fill(
    _ object: inout KeyedEncodingContainer<Key>, _ name: Int, _ random: inout SeededRandom,
    _ isOrderly: Bool
  ) throws -> Container? {
    switch Int.random(in: 0..<(isOrderly ? 8 : 9), using: &random) {
    case 0: return .object(object.nestedContainer(keyedBy: Key.self, forKey: Key("o", name)))
    case 1: return .list(object.nestedUnkeyedContainer(forKey: Key("l", name)))
    case 2: try object.encodeNil(forKey: Key("s", name))
    case 3: try object.encodeIfPresent(Int?.none, forKey: Key("s", name))
    case 4, 5:
      try object.encode(RandomValue(using: &random, depth: 3), forKey: Key("s", name))
    case 6: try object.encode(Int.random(in: -9...9, using: &random), forKey: Key("s", name))
    case 7: try object.encode("text \(name)", forKey: Key("s", name))
    default:
      let encoder = object.superEncoder(forKey: Key("u", name))
      return .object(encoder.container(keyedBy: Key.self))
    }
    return nil
  }

  private static func fill(
    _ list: inout any UnkeyedEncodingContainer, _ random: inout SeededRandom, _ isOrderly: Bool
  ) throws -> Container? {
    switch Int.random(in: 0..<(isOrderly ? 6 : 7), using: &random) {
    case 0: return .object(list.nestedContainer(keyedBy: Key.self))
    case 1: return .list(list.nestedUnkeyedContainer())
    case 2: try list.encodeNil()
    case 3: try list.encode(RandomValue(using: &random, depth: 3))
    case 4: try list.encode(Double.random(in: -9...9, using: &random))
    case 5: try list.encode(contentsOf: ["a", "b"])
    default: return .list(list.superEncoder().unkeyedContainer())
    }
    return nil
  }
}
