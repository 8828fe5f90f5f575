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

  private(set) var json = JSONWriter()
  /// The containers that are open, outermost first.
  private var levels: [Level] = []
  private var lastSlot: UInt32 = 0
  /// How many values were begun.
  private(set) var valueCount = 0
  private(set) var failure: Failure?

  /// The JSON of the last event that was encoded; empty when there is none.
  package var bytes: [UInt8] { json.bytes }

  /// Forgets the last event.
  func clear() {
    json.restart()
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
    json.restart()
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
    json.bytes = bytes
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
      write { $0.value(data.base64EncodedString()) }
    } else if Value.self == URL.self, let url = value as? URL {
      write { $0.value(url.absoluteString) }
    } else if Value.self == Decimal.self, let decimal = value as? Decimal {
      write { $0.number(decimal.description) }
    } else {
      let begun = valueCount
      try value.encode(to: PayloadValue(self, depth: depth))
      close(to: depth)
      if valueCount == begun {
        guard depth > 0 else { return fail(.notOneValue) }
        write {
          $0.beginObject()
          $0.endObject()
        }
      }
    }
  }

  /// Writes a scalar.
  @inline(__always)
  func write(_ body: (inout JSONWriter) -> Void) {
    valueCount += 1
    body(&json)
  }

  /// A number that no other value of this event has.
  func newSlot() -> UInt32 {
    lastSlot &+= 1
    return lastSlot
  }

  // MARK: Containers

  func key(_ key: some CodingKey) {
    json.key(key.stringValue)
  }

  /// Begins a container that is the value `slot`.
  func open(_ slot: UInt32, isObject: Bool) {
    if levels.count >= Self.depthLimit { fail(.tooDeep) }
    valueCount += 1
    levels.append(Level(slot: slot, isObject: isObject))
    if isObject { json.beginObject() } else { json.beginArray() }
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
      if levels.removeLast().isObject { json.endObject() } else { json.endArray() }
    }
  }

  /// Prepares for a value inside `depth` containers.
  func place(_ depth: Int) {
    if levels.count < depth { fail(.outOfOrder) }
    close(to: depth)
  }
}
