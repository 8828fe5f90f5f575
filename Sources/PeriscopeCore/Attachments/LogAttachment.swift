import SegmentIndex

/// Something that goes with a record and is too long for its fields: a state, a picture, a response.
///
/// ```swift
/// log.error("checkout failed", attachments: [.error(error), .json(cart, name: "cart.json")])
/// ```
public struct LogAttachment: Sendable, Equatable {
  /// More bytes than this are in a file of their own.
  public static let inlineLimit = 64 << 10

  let item: AttachmentList.Item

  /// What a person calls it, such as `screen.png`.
  public var name: String { item.name }
  /// What it is.
  public var type: ContentType { ContentType(rawValue: item.type) }
  /// How many bytes there are.
  public var byteCount: Int { Int(clamping: item.content.byteCount) }

  /// These bytes.
  public init(name: String, type: ContentType, bytes: some Sequence<UInt8>) {
    item = AttachmentList.Item(name: name, type: type.rawValue, content: .bytes(Array(bytes)))
  }

  private init(name: String, type: ContentType, failure: String) {
    item = AttachmentList.Item(
      name: name, type: type.rawValue, content: .lost(reason: failure, byteCount: 0))
  }

  /// Text.
  public static func text(_ text: String, name: String = "text.txt") -> LogAttachment {
    LogAttachment(name: name, type: .plainText, bytes: text.utf8)
  }

  /// A PNG picture.
  public static func png(
    _ bytes: some Sequence<UInt8>, name: String = "picture.png"
  ) -> LogAttachment {
    LogAttachment(name: name, type: .png, bytes: bytes)
  }

  /// A JPEG picture.
  public static func jpeg(
    _ bytes: some Sequence<UInt8>, name: String = "picture.jpeg"
  ) -> LogAttachment {
    LogAttachment(name: name, type: .jpeg, bytes: bytes)
  }

  /// A value as JSON. One that cannot be encoded is an attachment that says why.
  public static func json(_ value: some Encodable, name: String = "value.json") -> LogAttachment {
    let encoder = PayloadEncoder()
    do {
      try encoder.encode(value)
      return LogAttachment(name: name, type: .json, bytes: encoder.array)
    } catch {
      return LogAttachment(name: name, type: .json, failure: "it could not be encoded: \(error)")
    }
  }

  /// An error as JSON: its type, how it describes itself, and its fields if it has a way to encode them.
  public static func error(_ error: any Error, name: String = "error.json") -> LogAttachment {
    var json = JSONWriter()
    json.beginObject()
    json.key("type")
    json.value(String(reflecting: Swift.type(of: error)))
    json.key("description")
    json.value(String(describing: error))
    if let fields = error as? any Encodable {
      let encoder = PayloadEncoder()
      if (try? encoder.encode(fields)) != nil {
        json.key("fields")
        json.raw(encoder.array)
      }
    }
    json.endObject()
    return LogAttachment(name: name, type: .json, bytes: json.bytes)
  }
}
