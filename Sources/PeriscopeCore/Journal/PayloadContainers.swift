import JournalKit

/// The place of one value: what an event's `encode(to:)` gets, and the container for a value that is a scalar.
///
/// Two words, so that it needs no memory of its own where an `any Encoder` is wanted.
struct PayloadValue: Encoder, SingleValueEncodingContainer {
  private let payload: PayloadEncoder
  private let depth: Int32
  private let slot: UInt32

  init(_ payload: PayloadEncoder, depth: Int, slot: UInt32) {
    self.payload = payload
    self.depth = Int32(depth)
    self.slot = slot
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if payload.begin(slot, .object, Int(depth)) { payload.open(slot, isObject: true, Int(depth)) }
    if depth == 0 { return payload.outermostObject(slot) }
    return KeyedEncodingContainer(PayloadObject(payload, depth: Int(depth), slot: slot))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if payload.begin(slot, .array, Int(depth)) { payload.open(slot, isObject: false, Int(depth)) }
    return PayloadArray(payload, depth: Int(depth), slot: slot)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() {
    guard payload.begin(slot, .scalar, Int(depth)) else { return }
    payload.write { $0.append("null") }
  }

  @inline(__always)
  func encode(_ value: some PayloadScalar) {
    guard payload.begin(slot, .scalar, Int(depth)) else { return }
    payload.write { value.write(to: $0) }
  }

  func encode(_ value: some Encodable) throws {
    guard payload.begin(slot, .scalar, Int(depth)) else { return }
    try payload.encode(value, depth: Int(depth))
  }
}

/// A JSON object that is being written.
struct PayloadObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let payload: PayloadEncoder
  private let depth: Int32
  private let slot: UInt32

  init(_ payload: PayloadEncoder, depth: Int, slot: UInt32) {
    self.payload = payload
    self.depth = Int32(depth)
    self.slot = slot
  }

  var codingPath: [any CodingKey] { [] }

  @inline(__always)
  private func begin(_ key: some CodingKey) {
    payload.resume(slot, Int(depth))
    payload.key(key)
  }

  func encodeNil(forKey key: Key) {
    begin(key)
    payload.write { $0.append("null") }
  }

  @inline(__always)
  func encode(_ value: some PayloadScalar, forKey key: Key) {
    begin(key)
    payload.write { value.write(to: $0) }
  }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    begin(key)
    try payload.encode(value, depth: Int(depth) + 1)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    begin(key)
    let slot = payload.newSlot(.object)
    payload.open(slot, isObject: true, Int(depth) + 1)
    return KeyedEncodingContainer(PayloadObject<Nested>(payload, depth: Int(depth) + 1, slot: slot))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    begin(key)
    let slot = payload.newSlot(.array)
    payload.open(slot, isObject: false, Int(depth) + 1)
    return PayloadArray(payload, depth: Int(depth) + 1, slot: slot)
  }

  func superEncoder() -> any Encoder {
    // Nobody knows when it is used.
    payload.fail(.outOfOrder)
    return PayloadValue(payload, depth: Int(depth) + 1, slot: payload.newSlot())
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    superEncoder()
  }
}

/// A JSON array that is being written.
struct PayloadArray: UnkeyedEncodingContainer {
  private let payload: PayloadEncoder
  private let depth: Int32
  private let slot: UInt32
  private(set) var count = 0

  init(_ payload: PayloadEncoder, depth: Int, slot: UInt32) {
    self.payload = payload
    self.depth = Int32(depth)
    self.slot = slot
  }

  var codingPath: [any CodingKey] { [] }

  @inline(__always)
  private mutating func begin() {
    payload.resume(slot, Int(depth))
    count += 1
  }

  mutating func encodeNil() {
    begin()
    payload.write { $0.append("null") }
  }

  @inline(__always)
  mutating func encode(_ value: some PayloadScalar) {
    begin()
    payload.write { value.write(to: $0) }
  }

  mutating func encode(_ value: some Encodable) throws {
    begin()
    try payload.encode(value, depth: Int(depth) + 1)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    begin()
    let slot = payload.newSlot(.object)
    payload.open(slot, isObject: true, Int(depth) + 1)
    return KeyedEncodingContainer(PayloadObject<Nested>(payload, depth: Int(depth) + 1, slot: slot))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    begin()
    let slot = payload.newSlot(.array)
    payload.open(slot, isObject: false, Int(depth) + 1)
    return PayloadArray(payload, depth: Int(depth) + 1, slot: slot)
  }

  mutating func superEncoder() -> any Encoder {
    payload.fail(.outOfOrder)
    return PayloadValue(payload, depth: Int(depth) + 1, slot: payload.newSlot())
  }
}
