/// What is attached to a record: texts, pictures, anything.
///
/// A record has it as JSON, in `Record.attachments`, since few records have any:
///
/// ```json
/// {"count":2,"items":[{"name":"cart.json","type":"application/json","text":"{\"n\":3}"},
///   {"name":"screen.png","type":"image/png","size":180222,"file":"3f2a9c10-…","crc":3735928559}]}
/// ```
///
/// What is small is in the record itself, as `text` or, in base 64, as `data`. Of what is large the record has the name of a
/// file, which lies beside the journal until the record is folded, and in the store's `attachments` from then on.
public struct AttachmentList: Sendable, Equatable {
  /// One attachment.
  public struct Item: Sendable, Equatable {
    /// What a person calls it, such as `screen.png`.
    public var name: String
    /// What it is, as a MIME type.
    public var type: String
    /// Where its bytes are.
    public var content: Content

    /// An attachment.
    public init(name: String, type: String, content: Content) {
      self.name = name
      self.type = type
      self.content = content
    }
  }

  /// Where an attachment's bytes are.
  public enum Content: Sendable, Equatable {
    /// Here.
    case bytes([UInt8])
    /// In a file of the store, of this length and CRC-32C.
    case file(UniqueID, byteCount: Int64, checksum: UInt32)
    /// Nowhere: they could not be kept, and this is why.
    case lost(reason: String, byteCount: Int64)

    /// How many bytes there are, or were.
    public var byteCount: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .file(_, let byteCount, _), .lost(_, let byteCount): byteCount
      }
    }
  }

  /// The attachments, in the order given.
  public var items: [Item]

  /// A list of these.
  public init(_ items: [Item] = []) {
    self.items = items
  }

  /// The files that hold what the record itself does not.
  package var files: [UniqueID] {
    items.compactMap { item in
      if case .file(let file, _, _) = item.content { file } else { nil }
    }
  }
}
