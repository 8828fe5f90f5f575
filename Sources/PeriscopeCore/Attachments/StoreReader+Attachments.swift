public import SegmentIndex

extension StoreReader {
  /// What is attached to the record with identity `id`, in the order given; nothing when there is no such record.
  ///
  /// - Throws: `StoreError` when the store cannot be read, `AttachmentError.damaged` when what the record says of its
  ///   attachments is no list of any.
  public func attachments(forEvent id: UniqueID) throws -> [StoredAttachment] {
    let found = try query("id = $id", parameters: ["id": .uuid(id)]).records
    return try found.first.map { record in try attachments(of: record) } ?? []
  }

  /// What is attached to a record that this store has, in the order given.
  public func attachments(of record: Record) throws(AttachmentError) -> [StoredAttachment] {
    let list: AttachmentList
    do throws(JSONError) {
      list = try AttachmentList(json: record.attachments)
    } catch {
      throw .damaged(reason: "the list is malformed: \(error.reason)")
    }
    return list.items.map { StoredAttachment($0, of: record, in: attachmentFiles) }
  }
}

extension PeriscopeStore {
  /// What is attached to the record with identity `id`; see `StoreReader.attachments(forEvent:)`.
  public func attachments(forEvent id: UniqueID) throws -> [StoredAttachment] {
    try reader.attachments(forEvent: id)
  }
}
