extension JSONScanner {
  /// Reads the next value whole. Recursion is bounded by the depth limit.
  public mutating func readValue() throws(JSONError) -> JSONValue {
    switch try peek() {
    case .object:
      var members: [JSONMember] = []
      try enterObject()
      while let key = try nextKey() {
        members.append(JSONMember(key, try readValue()))
      }
      return .object(members)
    case .array:
      var elements: [JSONValue] = []
      try enterArray()
      while try nextElement() {
        elements.append(try readValue())
      }
      return .array(elements)
    case .string:
      return .string(try readString())
    case .number:
      switch try readNumber() {
      case .int(let value): return .int(value)
      case .double(let value): return .double(value)
      }
    case .bool:
      return .bool(try readBool())
    case .null:
      try readNull()
      return .null
    case .end:
      throw error("expected a value")
    }
  }

  /// Validates the next value, moves past it and returns where its bytes are, without the white space
  /// around it. Allocates nothing; recursion is bounded by the depth limit.
  @discardableResult
  public mutating func skipValue() throws(JSONError) -> Range<Int> {
    let kind = try peek()
    let start = position
    switch kind {
    case .object:
      try enterObject()
      while try nextKeyRange() != nil {
        try skipValue()
      }
    case .array:
      try enterArray()
      while try nextElement() {
        try skipValue()
      }
    case .string: _ = try scanString()
    case .number: try skipNumber()
    case .bool: _ = try readBool()
    case .null: try readNull()
    case .end: throw error("expected a value")
    }
    return start..<position
  }
}
