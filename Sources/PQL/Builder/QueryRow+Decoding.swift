internal import SegmentIndex

extension QueryRow {
  /// The row as a `Decodable` type, whose keys are names of columns or, of a record, of fields as a query
  /// writes them: `enum CodingKeys: String, CodingKey { case level, user = "tag.user" }`.
  ///
  /// - Texts, levels (by name), identities and times (ISO 8601) decode as `String`.
  /// - Whole numbers, sizes (bytes), durations and times (nanoseconds, since 1970) and levels (severity)
  ///   decode as integers that they fit.
  /// - Numbers decode as `Double` and `Float`; durations too, as seconds, and times as the seconds since
  ///   2001-01-01 UTC from which Foundation's `Date` decodes.
  /// - Durations decode as Swift's `Duration`. Lists, and JSON arrays and objects, decode as their like.
  ///
  /// - Throws: `DecodingError`.
  public func decode<Result: Decodable>(_ type: Result.Type = Result.self) throws -> Result {
    try Result(from: RowDecoder(node: .row(self), codingPath: []))
  }
}

extension QueryResult {
  /// The rows as values of a `Decodable` type; see `QueryRow.decode`.
  public func decode<Row: Decodable>(_ type: Row.Type = Row.self) throws -> [Row] {
    try typedRows.map { try $0.decode(Row.self) }
  }
}

/// Decodes a row, a value, or a part of one.
private struct RowDecoder: Decoder {
  let node: RowNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch node {
    case .row, .object: KeyedDecodingContainer(RowKeys(node: node, codingPath: codingPath))
    default: throw mismatch("a row or an object")
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let nodes) = node else { throw mismatch("a list") }
    return RowElements(nodes: nodes, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  private func mismatch(_ wanted: String) -> DecodingError {
    .typeMismatch(
      RowNode.self, .init(codingPath: codingPath, debugDescription: "\(node.name) is not \(wanted)")
    )
  }
}

/// A row, or what stands in one.
private enum RowNode {
  case row(QueryRow)
  case value(Value)
  case array([RowNode])
  case object([JSONMember])
  case null

  init(_ value: Value) {
    switch value {
    case .list(let values): self = .array(values.map(RowNode.init))
    case .json(let text):
      var scanner = unsafe JSONScanner(Array(text.utf8).span.bytes, depthLimit: 64)
      self = (try? scanner.readValue()).map { RowNode($0) } ?? .value(.string(text))
    default: self = .value(value)
    }
  }

  init(_ json: JSONValue) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .value(.bool(value))
    case .int(let value): self = .value(.int(value))
    case .double(let value): self = .value(.double(value))
    case .string(let text): self = .value(.string(text))
    case .array(let elements): self = .array(elements.map { RowNode($0) })
    case .object(let members): self = .object(members)
    }
  }

  /// What the member or column of this name holds; of a key that stands twice the first counts.
  subscript(name: String) -> RowNode? {
    switch self {
    case .row(let row): row[name].map { RowNode($0) }
    case .object(let members):
      members.first { $0.key.isSameText(as: name) }.map { RowNode($0.value) }
    default: nil
    }
  }

  var name: String {
    switch self {
    case .row: "a row"
    case .value(let value): "a \(value.typeName)"
    case .array: "a list"
    case .object: "an object"
    case .null: "null"
    }
  }
}

// MARK: Values

extension RowDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    if case .null = node { true } else { false }
  }

  func decode(_ type: Bool.Type) throws -> Bool { try scalar(type) { Bool(queryValue: $0) } }
  func decode(_ type: String.Type) throws -> String {
    try scalar(type) { value in
      switch value {
      case .string, .uuid, .level, .time: value.description
      default: nil
      }
    }
  }
  func decode(_ type: Double.Type) throws -> Double { try scalar(type, number) }
  func decode(_ type: Float.Type) throws -> Float {
    try scalar(type) { number($0).map(Float.init) }
  }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    // A duration's own decoding expects two halves of 128 bits.
    if case .value(.duration(let nanoseconds)) = node,
      let duration = Duration.nanoseconds(nanoseconds) as? Result
    {
      return duration
    }
    return try Result(from: self)
  }

  private func integer<Result: FixedWidthInteger>(_ type: Result.Type) throws -> Result {
    try scalar(type) { value in
      switch value {
      case .int(let number), .size(let number), .duration(let number), .time(let number):
        Result(exactly: number)
      case .double(let number): Result(exactly: number)
      case .level(let level): Result(exactly: level.severity)
      default: nil
      }
    }
  }

  private func number(_ value: Value) -> Double? {
    switch value {
    case .duration(let nanoseconds): Double(nanoseconds) / 1e9
    // 2001-01-01T00:00Z is 978,307,200 seconds after 1970.
    case .time(let nanoseconds): Double(nanoseconds) / 1e9 - 978_307_200
    default: value.number
    }
  }

  private func scalar<Result>(_ type: Result.Type, _ read: (Value) -> Result?) throws -> Result {
    guard case .value(let value) = node else {
      let context = DecodingError.Context(
        codingPath: codingPath, debugDescription: "\(node.name) is not a \(type)")
      throw decodeNil()
        ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
    }
    if let result = read(value) { return result }
    throw DecodingError.typeMismatch(
      type,
      .init(
        codingPath: codingPath,
        debugDescription: "a \(value.typeName) cannot be read as \(type)"))
  }
}

// MARK: Columns and members

private struct RowKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let node: RowNode
  let codingPath: [any CodingKey]

  var allKeys: [Key] {
    switch node {
    case .row(let row): row.columns.filter { row[$0] != nil }.compactMap(Key.init)
    case .object(let members): members.compactMap { Key(stringValue: $0.key) }
    default: []
    }
  }

  func contains(_ key: Key) -> Bool { node[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    if case .null? = node[key.stringValue] { true } else { node[key.stringValue] == nil }
  }

  private func decoder(_ key: some CodingKey) throws -> RowDecoder {
    guard let node = node[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "the row has no such value"))
    }
    return RowDecoder(node: node, codingPath: codingPath + [key])
  }

  func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
    try decoder(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    RowDecoder(node: node["super"] ?? .null, codingPath: codingPath)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct RowElements: UnkeyedDecodingContainer {
  let nodes: [RowNode]
  let codingPath: [any CodingKey]
  var currentIndex = 0

  var count: Int? { nodes.count }
  var isAtEnd: Bool { currentIndex == nodes.count }

  init(nodes: [RowNode], codingPath: [any CodingKey]) {
    self.nodes = nodes
    self.codingPath = codingPath
  }

  private mutating func next() throws -> RowDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        RowNode.self, .init(codingPath: codingPath, debugDescription: "the list has no more values")
      )
    }
    defer { currentIndex += 1 }
    return RowDecoder(node: nodes[currentIndex], codingPath: codingPath)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, case .null = nodes[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    try next().decode(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}
