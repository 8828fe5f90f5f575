internal import JournalKit

extension AttachmentList {
  /// Reads what `json` has written. Unknown keys are ignored.
  ///
  /// - Throws: `JSONError` when it is nothing of the kind.
  public init(json: [UInt8]) throws(JSONError) {
    self.init()
    guard !json.isEmpty else { return }
    var scanner = JSONScanner(json.rawSpan)
    try scanner.enterObject()
    while let key = try scanner.nextKey() {
      guard key == "items" else {
        _ = try scanner.skipValue()
        continue
      }
      items = []
      try scanner.enterArray()
      while try scanner.nextElement() { items.append(try Item(&scanner)) }
    }
    try scanner.finish()
  }

  /// The list as a record has it; empty when there is nothing in it.
  public var json: [UInt8] {
    guard !items.isEmpty else { return [] }
    var json = JSONWriter()
    json.beginObject()
    json.key("count")
    json.value(Int64(items.count))
    json.key("items")
    json.beginArray()
    for item in items { item.write(to: &json) }
    json.endArray()
    json.endObject()
    return json.bytes
  }
}

extension AttachmentList.Item {
  fileprivate init(_ json: inout JSONScanner) throws(JSONError) {
    self.init(name: "", type: "application/octet-stream", content: .lost(reason: "", byteCount: 0))
    var size: Int64 = 0
    var file: UniqueID?
    var checksum: UInt32 = 0
    var bytes: [UInt8]?
    var reason = "its content is missing in the record"
    try json.enterObject()
    while let key = try json.nextKey() {
      let start = json.offset
      switch key {
      case "name": name = try json.readString()
      case "type": type = try json.readString()
      case "size": size = max(0, try json.readInt())
      case "crc": checksum = UInt32(truncatingIfNeeded: try json.readInt())
      case "text": bytes = Array(try json.readString().utf8)
      case "lost": reason = try json.readString()
      case "data":
        bytes = Base64.decode(try json.readString())
        if bytes == nil { throw JSONError(offset: start, reason: "not base 64") }
      case "file":
        file = UniqueID(try json.readString())
        if file == nil { throw JSONError(offset: start, reason: "not a UUID") }
      default: _ = try json.skipValue()
      }
    }
    if let bytes {
      content = .bytes(bytes)
    } else if let file {
      content = .file(file, byteCount: size, checksum: checksum)
    } else {
      content = .lost(reason: reason, byteCount: size)
    }
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.beginObject()
    json.key("name")
    json.value(name)
    json.key("type")
    json.value(type)
    switch content {
    case .bytes(let bytes):
      if let text = String(validating: bytes, as: UTF8.self), isText {
        json.key("text")
        json.value(text)
      } else {
        json.key("data")
        json.value(Base64.encode(bytes))
      }
    case .file(let file, let byteCount, let checksum):
      json.key("size")
      json.value(byteCount)
      json.key("file")
      json.value(file.description)
      json.key("crc")
      json.value(Int64(checksum))
    case .lost(let reason, let byteCount):
      json.key("size")
      json.value(byteCount)
      json.key("lost")
      json.value(reason)
    }
    json.endObject()
  }

  /// Whether the bytes are better read as they are.
  private var isText: Bool {
    type.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("xml")
  }
}
