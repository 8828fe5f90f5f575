import SegmentIndex

/// An attachment of a record in the store. Its bytes are read when they are asked for.
public struct StoredAttachment: Sendable {
  private let item: AttachmentList.Item
  private let files: AttachmentFiles
  private let session: UniqueID

  /// What a person calls it.
  public var name: String { item.name }
  /// What it is.
  public var type: ContentType { ContentType(rawValue: item.type) }
  /// How many bytes there are, or were.
  public var byteCount: Int64 { item.content.byteCount }

  init(_ item: AttachmentList.Item, of record: Record, in files: AttachmentFiles) {
    self.item = item
    self.files = files
    session = record.session
  }

  /// The bytes, exactly as they were attached.
  ///
  /// - Throws: `AttachmentError`.
  public func bytes() throws(AttachmentError) -> [UInt8] {
    switch item.content {
    case .bytes(let bytes): return bytes
    case .lost(let reason, _): throw .notKept(reason: reason)
    case .file(let file, let byteCount, let checksum):
      do throws(AttachmentFiles.ReadingError) {
        return try files.read(
          file, byteCount: byteCount, checksum: checksum, session: session)
      } catch {
        switch error {
        case .missing: throw .missing
        case .damaged(let reason): throw .damaged(reason: reason)
        case .disk(let error): throw .unreadable(reason: "\(error)")
        }
      }
    }
  }
}

/// Why the bytes of an attachment are not to be had.
public enum AttachmentError: Error, Equatable {
  /// They could not be kept when the record was logged.
  case notKept(reason: String)
  /// The file is gone.
  case missing
  /// The file does not hold what was written to it.
  case damaged(reason: String)
  /// The file cannot be read at this time.
  case unreadable(reason: String)
}
