#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import JournalKit
import SegmentIndex

/// Encodes an event's fields as JSON, straight into bytes that are used again and again.
///
/// The text is what Foundation's `JSONEncoder` writes with its default strategies and unescaped slashes, with these
/// rules: keys stand in the order in which they are encoded, numbers that JSON cannot write are the strings `NaN`,
/// `Infinity` and `-Infinity`, and `codingPath` is always empty. So a `Date` is the number of seconds since 2001, `Data` is
/// base64, and `Record.decode` reads it all back.
///
/// Containers are written as they come, which works as long as each is finished before something is added to one
/// around it. An event that goes about it in another order is left to Foundation, which builds a tree first.
package final class PayloadEncoder {
  /// Why there is no JSON.
  enum Failure: Error, CustomStringConvertible {
    /// The event nests deeper than a reader follows.
    case tooDeep
    /// The event encoded no value, or two where there is one.
    case notOneValue
    /// Containers were not used one inside the other.
    case outOfOrder

    var description: String {
      switch self {
      case .tooDeep: "nested more than \(PayloadEncoder.depthLimit) levels deep"
      case .notOneValue: "encoded no value, or two where there is one"
      case .outOfOrder: "encoded out of order"
      }
    }
  }

  /// What a `JSONScanner` accepts.
  static let depthLimit = 64

  /// What a value, each of which has a number of its own (a slot), became.
  enum Use: UInt64 {
    case nothing, scalar, object, array
  }

  /// The JSON of the last event that was encoded, until the next one is; empty when there is none.
  let text = TextBuffer()
  /// Whether a value precedes the next one in the innermost container.
  private var needsComma = false
  /// The containers that are open, outermost first; see `Level`.
  private let levels = NumberStack()
  /// What became of each slot.
  private let uses = NumberStack()
  /// Hashes of the keys of all open objects, and sets of them for objects with many, by where those begin.
  private let keys = NumberStack()
  private var manyKeys: [Int: Set<UInt64>] = [:]
  /// Where those of the innermost container begin.
  private var firstKey = 0
  private(set) var failure: Failure?

  /// A copy of the JSON of the last event that was encoded.
  package var array: [UInt8] { text.array }

  /// Forgets the last event.
  func clear() {
    text.removeAll()
    needsComma = false
  }

  package init() {}

  /// Encodes an event.
  ///
  /// - Throws: `Failure`, and what the event's own `encode(to:)` throws; then there are no bytes.
  package func encode(_ event: some Encodable) throws {
    restart()
    do {
      try encode(event, depth: 0)
      switch failure {
      case nil: break
      case .outOfOrder: try encodeAsTree(event)
      case let failure?: throw failure
      }
    } catch {
      clear()
      throw error
    }
  }

  private func restart() {
    clear()
    levels.shrink(to: 0)
    uses.shrink(to: 0)
    keys.shrink(to: 0)
    firstKey = 0
    if !manyKeys.isEmpty { manyKeys = [:] }
    failure = nil
  }

  private func encodeAsTree(_ event: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    let bytes = [UInt8](try encoder.encode(event))
    var scanner = JSONScanner(bytes.rawSpan, depthLimit: Self.depthLimit)
    _ = try scanner.skipValue()
    clear()
    text.append(bytes.rawSpan)
  }

  func fail(_ failure: Failure) {
    // That an event is out of order must not hide what is wrong with it besides.
    if self.failure == nil || self.failure == .outOfOrder { self.failure = failure }
  }

  // MARK: Values

  /// Writes a value of any type; `depth` containers are open around it.
  func encode<Value: Encodable>(_ value: Value, depth: Int) throws {
    if failure == .tooDeep { throw Failure.tooDeep }
    // The types that Foundation writes in another way than they write themselves.
    if Value.self == Data.self, let data = value as? Data {
      write { $0.append(quoted: data.base64EncodedString()) }
    } else if Value.self == URL.self, let url = value as? URL {
      write { $0.append(quoted: url.absoluteString) }
    } else if Value.self == Decimal.self, let decimal = value as? Decimal {
      // JSON has no number for it.
      write { decimal.isNaN ? $0.append(quoted: "NaN") : $0.append(raw: decimal.description) }
    } else {
      let slot = newSlot()
      try value.encode(to: PayloadValue(self, depth: depth, slot: slot))
      close(to: depth)
      if use(of: slot) == .nothing {
        guard depth > 0 else { return fail(.notOneValue) }
        write { $0.append("{}") }
      }
    }
  }

  /// Writes a scalar.
  @inline(__always)
  func write(_ body: (TextBuffer) -> Void) {
    separate()
    body(text)
    needsComma = true
  }

  /// The comma before a value or key that is not the first.
  @inline(__always)
  private func separate() {
    if needsComma { text.append(UInt8(ascii: ",")) }
  }

  /// A number that no other value of this event has.
  @inline(__always)
  func newSlot(_ use: Use = .nothing) -> UInt32 {
    uses.push(use.rawValue)
    return UInt32(truncatingIfNeeded: uses.count - 1)
  }

  func use(of slot: UInt32) -> Use { Use(rawValue: uses[Int(slot)]) ?? .nothing }

  /// Prepares for the value `slot` inside `depth` containers, which becomes `use`; false when that cannot be, or when it is
  /// that container already.
  @inline(__always)
  func begin(_ slot: UInt32, _ use: Use, _ depth: Int) -> Bool {
    switch self.use(of: slot) {
    case .nothing:
      uses[Int(slot)] = use.rawValue
      if levels.count < depth { fail(.outOfOrder) }
      close(to: depth)
      return true
    case use where use != .scalar:
      // A class and its superclass each ask for it, and the same key may be in both: Foundation decides.
      fail(.outOfOrder)
    default: fail(.notOneValue)
    }
    return false
  }

  // MARK: Containers

  /// A container that is open, as one number.
  private struct Level {
    let rawValue: UInt64

    init(rawValue: UInt64) {
      self.rawValue = rawValue
    }

    init(_ slot: UInt32, isObject: Bool, outerFirstKey: Int) {
      rawValue = UInt64(slot) | (isObject ? 1 << 32 : 0) | UInt64(outerFirstKey) << 33
    }

    /// The value that it is.
    var slot: UInt32 { UInt32(truncatingIfNeeded: rawValue) }
    var isObject: Bool { rawValue & 1 << 32 != 0 }
    /// Where the keys of the container around it begin.
    var outerFirstKey: Int { Int(rawValue >> 33) }
  }

  @inline(__always)
  func key(_ key: some CodingKey) {
    separate()
    let start = text.count
    text.append(quoted: key.stringValue)
    note(text.hash(from: start))
    text.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Takes note of a key of the innermost object. Of two that are the same, Foundation decides.
  private func note(_ key: UInt64) {
    guard failure == nil else { return }
    let first = firstKey
    let isKnown =
      keys.count - first < 32 ? keys.contains(key, from: first) : isAmongMany(key, from: first)
    if isKnown { fail(.outOfOrder) }
    keys.push(key)
  }

  private func isAmongMany(_ key: UInt64, from first: Int) -> Bool {
    if manyKeys[first] == nil { manyKeys[first] = Set((first..<keys.count).map { keys[$0] }) }
    return manyKeys[first]?.insert(key).inserted == false
  }

  /// Begins a container that is the value `slot`; `depth` others are around it.
  func open(_ slot: UInt32, isObject: Bool, _ depth: Int) {
    if depth >= Self.depthLimit { fail(.tooDeep) }
    levels.push(Level(slot, isObject: isObject, outerFirstKey: firstKey).rawValue)
    firstKey = keys.count
    separate()
    text.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    needsComma = false
  }

  /// Makes the container `slot` the innermost one; `depth` others are around it.
  @inline(__always)
  func resume(_ slot: UInt32, _ depth: Int) {
    guard depth < levels.count, Level(rawValue: levels[depth]).slot == slot
    else { return fail(.outOfOrder) }
    close(to: depth + 1)
  }

  /// Ends all containers but the outer `depth`.
  @inline(__always)
  func close(to depth: Int) {
    while levels.count > depth { closeInnermost() }
  }

  private func closeInnermost() {
    let level = Level(rawValue: levels[levels.count - 1])
    levels.shrink(to: levels.count - 1)
    if !manyKeys.isEmpty { manyKeys[firstKey] = nil }
    keys.shrink(to: firstKey)
    firstKey = level.outerFirstKey
    text.append(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    needsComma = true
  }
}
