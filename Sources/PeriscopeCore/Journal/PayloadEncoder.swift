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
/// base64, and a plain `JSONDecoder` reads it all back.
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

  /// A container that is open.
  struct Level {
    /// The value that it is.
    let slot: UInt32
    let isObject: Bool
  }

  /// The JSON of the last event that was encoded, until the next one is; empty when there is none.
  let text = TextBuffer()
  /// Whether a value precedes the next one in the innermost container.
  private var needsComma = false
  /// The containers that are open, outermost first.
  private var levels: [Level] = []
  private var lastSlot: UInt32 = 0
  /// How many values were begun.
  private(set) var valueCount = 0
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
    text.removeAll()
    needsComma = false
    levels.removeAll(keepingCapacity: true)
    (lastSlot, valueCount, failure) = (0, 0, nil)
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
      write { decimal.isNaN ? $0.append(quoted: "NaN") : $0.append(decimal.description) }
    } else {
      let begun = valueCount
      try value.encode(to: PayloadValue(self, depth: depth))
      close(to: depth)
      if valueCount == begun {
        guard depth > 0 else { return fail(.notOneValue) }
        write { $0.append("{}") }
      }
    }
  }

  /// Writes a scalar.
  @inline(__always)
  func write(_ body: (TextBuffer) -> Void) {
    valueCount += 1
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
  func newSlot() -> UInt32 {
    lastSlot &+= 1
    return lastSlot
  }

  // MARK: Containers

  func key(_ key: some CodingKey) {
    separate()
    text.append(quoted: key.stringValue)
    text.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Begins a container that is the value `slot`.
  func open(_ slot: UInt32, isObject: Bool) {
    if levels.count >= Self.depthLimit { fail(.tooDeep) }
    valueCount += 1
    levels.append(Level(slot: slot, isObject: isObject))
    separate()
    text.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    needsComma = false
  }

  /// The container that the value `slot`, inside `depth` others, is already; nil when it is none.
  func level(_ slot: UInt32, _ depth: Int) -> Level? {
    depth < levels.count && levels[depth].slot == slot ? levels[depth] : nil
  }

  /// Makes the container `slot` the innermost one; `depth` others are around it.
  @inline(__always)
  func resume(_ slot: UInt32, _ depth: Int) {
    guard level(slot, depth) != nil else { return fail(.outOfOrder) }
    close(to: depth + 1)
  }

  /// Ends all containers but the outer `depth`.
  func close(to depth: Int) {
    while levels.count > depth {
      text.append(levels.removeLast().isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
      needsComma = true
    }
  }

  /// Prepares for a value inside `depth` containers.
  func place(_ depth: Int) {
    if levels.count < depth { fail(.outOfOrder) }
    close(to: depth)
  }
}
