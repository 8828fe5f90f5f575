package import JournalKit

/// The files of a store that hold what is attached to records and too large to be in them.
///
/// A file is written beside the journal, before the record that names it. When the record is folded and that is committed, the
/// file moves into the store. So what lies in the store's directory was named by a record of a segment: once no segment
/// names it any more, it can go. What is left beside a journal that is folded to its end was never named by a record that
/// arrived.
package struct AttachmentFiles: Sendable {
  private static let suffix = ".attachment"

  let directory: String
  let journals: String
  let quarantine: String
  let fileSystem: any FileSystem

  package init(_ store: SegmentStore) {
    self.init(layout: store.layout, fileSystem: store.fileSystem)
  }

  init(layout: StoreLayout, fileSystem: any FileSystem) {
    directory = layout.attachments
    journals = layout.journals
    quarantine = layout.quarantine
    self.fileSystem = fileSystem
  }

  static func name(_ file: UniqueID) -> String { file.description + suffix }

  /// The file of this name; nil for the name of anything else.
  static func file(named name: String) -> UniqueID? {
    guard name.hasSuffix(suffix), let file = UniqueID(name.dropLast(suffix.count)),
      self.name(file) == name
    else { return nil }
    return file
  }

  /// The file that was moved into the quarantine and is called so there; nil for anything else.
  static func file(quarantinedAs name: String) -> UniqueID? {
    guard StoreLayout.isQuarantined(name), let end = name.firstRange(of: suffix)?.lowerBound
    else { return nil }
    // A number may follow.
    return UniqueID(name[..<end].suffix(36))
  }

  // MARK: - Writing

  /// Makes a file beside the journal in `journal`, on stable storage if `sync` says so.
  package static func write(
    _ file: UniqueID, _ bytes: [UInt8], besideJournal journal: String, sync: Bool,
    _ fileSystem: any FileSystem
  ) throws(DiskError) {
    try fileSystem.writeNew(FilePath.join(journal, name(file)), bytes.rawSpan, sync: sync)
    if sync { try fileSystem.syncDirectory(journal) }
  }

  // MARK: - Reading

  /// Why an attachment cannot be read.
  package enum ReadingError: Error, CustomStringConvertible {
    case missing
    case damaged(reason: String)
    case disk(DiskError)

    package var description: String {
      switch self {
      case .missing: "is missing"
      case .damaged(let reason): "is damaged: \(reason)"
      case .disk(let error): "cannot be read: \(error)"
      }
    }
  }

  /// Where a file is in the store.
  func path(of file: UniqueID) -> String { FilePath.join(directory, Self.name(file)) }

  /// The bytes of a file that a record of `session` names; nil is any session.
  package func read(
    _ file: UniqueID, byteCount: Int64, checksum: UInt32, session: UniqueID?
  ) throws(ReadingError) -> [UInt8] {
    // Files go from the one place to the other, never back.
    let sessions =
      session.map { [$0.description] } ?? (try? StoreContents.names(in: journals, fileSystem)) ?? []
    for directory in sessions.map({ FilePath.join(journals, $0) }) + [directory] {
      let path = FilePath.join(directory, Self.name(file))
      guard let found = try contents(of: path, byteCount: byteCount) else { continue }
      guard CRC32C.checksum(found.rawSpan) == checksum else {
        throw .damaged(reason: "the checksum is wrong")
      }
      return found
    }
    throw .missing
  }

  /// The bytes of the file at `path`, which must be as many as the record says; nil when there is no file.
  private func contents(of path: String, byteCount: Int64) throws(ReadingError) -> [UInt8]? {
    do throws(DiskError) {
      guard let length = try fileSystem.status(at: path)?.length else { return nil }
      // A record may claim any length: only what is there is read.
      if length == byteCount, length <= Int64(Int32.max) {
        return try fileSystem.contents(of: path, limit: Int(length))
      }
    } catch {
      if error.isMissing { return nil }
      throw .disk(error)
    }
    throw .damaged(reason: "the file does not have \(byteCount) bytes")
  }
}
