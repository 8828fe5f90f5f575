import JournalKit
import SegmentIndex

extension Periscope {
  /// So much of what is attached to one record is in it at most. An entry of a journal must not be too long.
  private static let inlineTotal = 4 * LogAttachment.inlineLimit

  /// Puts what is too large for the record into files beside the journal, before there is a record that names them.
  ///
  /// What cannot be written is lost, and the record says so. The redaction has seen all of it by then.
  func keepAttachments(of record: inout Record) {
    guard !record.attachments.isEmpty else { return }
    var list: AttachmentList
    do throws(JSONError) {
      list = try AttachmentList(json: record.attachments)
    } catch {
      list = AttachmentList([
        .init(
          name: "", type: ContentType.binary.rawValue,
          content: .lost(reason: "the list was malformed: \(error.reason)", byteCount: 0))
      ])
    }
    var total = 0
    for index in list.items.indices {
      guard case .bytes(let bytes) = list.items[index].content else { continue }
      guard bytes.count > LogAttachment.inlineLimit || total + bytes.count > Self.inlineTotal
      else {
        total += bytes.count
        continue
      }
      list.items[index].content = keep(bytes, sync: record.level.isAtLeast(.fault))
    }
    record.attachments = list.json
  }

  private func keep(_ bytes: [UInt8], sync: Bool) -> AttachmentList.Content {
    let byteCount = Int64(bytes.count)
    guard !journal.isForked else {
      return .lost(reason: "the process was forked", byteCount: byteCount)
    }
    let file = UniqueID(
      bits: UInt128(environment.random()) << 64 | UInt128(environment.random()))
    do throws(DiskError) {
      try AttachmentFiles.write(
        file, bytes, besideJournal: journal.directory, sync: sync, environment.fileSystem)
      return .file(file, byteCount: byteCount, checksum: CRC32C.checksum(bytes.rawSpan))
    } catch {
      return .lost(reason: "\(error)", byteCount: byteCount)
    }
  }
}
