internal import JournalKit

// From beside a journal into the store, and out of it. The caller has the store locked.

extension AttachmentFiles {
  /// The files beside the journal in `journal`.
  func files(besideJournal journal: String) throws(StoreError) -> [UniqueID] {
    try StoreContents.names(in: journal, fileSystem).compactMap(Self.file(named:))
  }

  /// Puts those of `files` that are beside the journal on stable storage, for the records that name them are about to be.
  func sync(_ files: [UniqueID], besideJournal journal: String) throws(StoreError) {
    guard !files.isEmpty else { return }
    do throws(DiskError) {
      for file in files {
        let path = FilePath.join(journal, Self.name(file))
        guard try fileSystem.status(at: path) != nil else { continue }
        let number = try fileSystem.open(path, .read)
        defer { try? fileSystem.close(number) }
        try fileSystem.sync(number)
      }
      try fileSystem.syncDirectory(journal)
    } catch {
      throw .disk(error)
    }
  }

  /// Moves those of `files` that are beside the journal into the store.
  func take(_ files: [UniqueID], fromJournal journal: String) throws(DiskError) {
    guard !files.isEmpty else { return }
    let changed = try fileSystem.createDirectories(directory)
    for parent in changed { try fileSystem.syncDirectory(parent) }
    for file in files {
      let path = FilePath.join(journal, Self.name(file))
      guard try fileSystem.status(at: path) != nil else { continue }
      try fileSystem.rename(path, to: FilePath.join(directory, Self.name(file)), replacing: true)
      // A move that died half-way may have left two names of one file: to rename one to the other does nothing.
      if try fileSystem.status(at: path) != nil { try fileSystem.unlink(path) }
    }
    // The new names first: before them the old ones must not be gone for good.
    try fileSystem.syncDirectory(directory)
    try fileSystem.syncDirectory(journal)
  }

  /// Removes the files in the store that no segment of `contents` names; none, when that cannot be told.
  func removeUnnamed(_ contents: StoreContents) {
    let names = (try? StoreContents.names(in: directory, fileSystem)) ?? []
    let files = names.compactMap(Self.file(named:))
    guard !files.isEmpty, let named = Self.named(in: contents) else { return }
    for file in files where !named.contains(file) {
      // One that cannot be removed is tried again the next time.
      try? fileSystem.unlink(FilePath.join(directory, Self.name(file)))
    }
  }

  /// The segments of `contents` in their order, each as long as what goes with it: its file, and the attachments that no
  /// later segment names.
  func weighed(_ contents: StoreContents) -> [Manifest.Entry] {
    var entries = contents.manifest.segments
    guard let names = try? StoreContents.names(in: directory, fileSystem), !names.isEmpty
    else { return entries }
    var counted: Set<UniqueID> = []
    for index in entries.indices.reversed() {
      guard let segment = contents.segments[entries[index].id] else { continue }
      var files: [UniqueID] = []
      // What cannot be read of a damaged one weighs nothing.
      try? segment.forEachAttachment { _, list in files += list.files }
      for file in files where counted.insert(file).inserted {
        // A record may claim any length.
        guard let status = try? fileSystem.status(at: path(of: file)) else { continue }
        let (sum, overflow) = entries[index].length
          .addingReportingOverflow(UInt64(clamping: status.length))
        entries[index].length = overflow ? .max : sum
      }
    }
    return entries
  }

  /// The files that the segments of `contents` name; nil when one of them cannot be read.
  static func named(in contents: StoreContents) -> Set<UniqueID>? {
    var named: Set<UniqueID> = []
    for entry in contents.manifest.segments {
      guard let segment = contents.segments[entry.id],
        (try? segment.forEachAttachment({ _, list in named.formUnion(list.files) })) != nil
      else { return nil }
    }
    return named
  }
}

extension Segment {
  /// Calls `body` with each row that has attachments, and these.
  func forEachAttachment(
    _ body: (_ row: Int, AttachmentList) -> Void
  ) throws(SegmentError) {
    guard case .texts(let column) = try column(number: .attachments) else { return }
    var texts = TextGranule()
    for page in 0..<SegmentFormat.partCount(size: SegmentFormat.pageRowCount, rowCount: rowCount) {
      try column.decode(page: page, into: &texts)
      for index in 0..<texts.count where !texts.range(of: index).isEmpty {
        let json = Array(texts.bytes[texts.range(of: index)])
        do throws(JSONError) {
          body(page * SegmentFormat.pageRowCount + index, try AttachmentList(json: json))
        } catch {
          throw self.error(at: 0, "the attachments of a row are malformed: \(error.reason)")
        }
      }
    }
  }
}
