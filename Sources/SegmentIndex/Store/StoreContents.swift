internal import JournalKit

/// A store as it is on the disk: its manifest and the segments that go with it.
struct StoreContents {
  /// The newest manifest that verifies, or one made up from the segments.
  var manifest = Manifest()
  /// The checksum of that manifest's file; 0 when there is none.
  var checksum: UInt32 = 0
  /// The highest generation that there is a file of, readable or not.
  var highestGeneration: UInt64 = 0
  /// The segments of the manifest that can be read, in its order.
  var segments: [Segment] = []
  /// A gap for each segment of the manifest that cannot be read.
  var lost: [Gap] = []
  var problems: [StoreProblem] = []
  /// Manifest files that do not verify.
  var damagedManifests: [String] = []
  /// Why the newest manifest could not be read, if it may be readable the next time: whoever only asks makes do with
  /// the one before, but nobody may change the store.
  private(set) var unreadableManifest: DiskError?
  /// Whether segments count that no manifest lists.
  var isAmended = false
  /// Whether something could not be read that may be readable the next time.
  var isPreliminary = false
  /// Whether the manifest is not what was committed last, and has been completed from the segments.
  var isRecovered = false

  var snapshot: Snapshot {
    Snapshot(segments: segments, gaps: manifest.gaps + lost, compactedUpTo: compactedUpTo)
  }

  /// The same by their identities, for who changes the store; a program that asks one question is rid of it.
  var segmentsByID: [UniqueID: Segment] {
    Dictionary(segments.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// For each journal up to which sequence the store has it: of those that the manifest does not know any more,
  /// the segments do.
  var compactedUpTo: [UInt128: UInt64] {
    var sequences: [UInt128: UInt64] = [:]
    for segment in segments {
      for source in segment.sources {
        sequences[source.journal] = max(sequences[source.journal] ?? 0, source.lastSequence)
      }
    }
    return sequences.merging(manifest.compactedUpTo) { _, listed in listed }
  }

  /// Reads the store; segments that are open already are taken from `opened`. A missing directory is an empty
  /// store. Throws `disk`, `unsupportedVersion`, and `busy` when other processes commit faster than this reads.
  init(
    _ layout: StoreLayout, _ fileSystem: any FileSystem, reusing opened: [UniqueID: Segment] = [:]
  ) throws(StoreError) {
    // While this reads, another process may commit and delete what was listed: then there is a newer one.
    var attempts = 16
    while try !read(layout, fileSystem, reusing: opened) {
      attempts -= 1
      if attempts == 0 { throw .busy }
    }
    guard isRecovered else { return }
    if checksum == 0 && !manifest.segments.isEmpty {
      problems.append(
        StoreProblem(
          file: layout.directory,
          reason: "no manifest can be read: the segments tell what there is"))
    }
  }

  /// Reads the manifest and opens its segments; false when they changed meanwhile.
  private mutating func read(
    _ layout: StoreLayout, _ fileSystem: any FileSystem, reusing opened: [UniqueID: Segment]
  ) throws(StoreError) -> Bool {
    segments = []
    lost = []
    isPreliminary = false
    isAmended = false
    guard try readManifest(layout, fileSystem) else { return false }
    segments.reserveCapacity(manifest.segments.count)
    for entry in manifest.segments {
      if let segment = opened[entry.id] {
        segments.append(segment)
      } else {
        open(entry, layout, fileSystem)
      }
    }
    guard isRecovered || !lost.isEmpty else { return true }
    try adopt(layout, fileSystem, all: isRecovered && checksum == 0)
    return try Self.newestGeneration(layout, fileSystem) == highestGeneration
  }

  /// The highest generation that there is a manifest of, readable or not; 0 when there is none.
  ///
  /// It takes the list of all: old generations are removed, so that no single file's absence says anything.
  static func newestGeneration(
    _ layout: StoreLayout, _ fileSystem: any FileSystem
  ) throws(StoreError) -> UInt64 {
    try names(in: layout.directory, fileSystem).compactMap(layout.generation(ofFile:)).max() ?? 0
  }

  /// Finds the manifest to go by; false when the files changed meanwhile.
  private mutating func readManifest(
    _ layout: StoreLayout, _ fileSystem: any FileSystem
  ) throws(StoreError) -> Bool {
    problems = []
    damagedManifests = []
    unreadableManifest = nil
    let generations = try Self.names(in: layout.directory, fileSystem)
      .compactMap(layout.generation(ofFile:)).sorted(by: >)
    highestGeneration = generations.first ?? 0
    for generation in generations {
      let path = layout.manifest(generation)
      let bytes: [UInt8]
      do throws(DiskError) {
        bytes = try fileSystem.contents(of: path, limit: Manifest.maximumLength)
      } catch {
        if error.isMissing { return false }
        if error.code == DiskError.inputOutput {
          problems.append(StoreProblem(path, error))
          unreadableManifest = error
          isPreliminary = true
          continue
        }
        guard error.code == DiskError.fileTooLarge || error.code == DiskError.isADirectory
        else { throw .disk(error) }
        problems.append(StoreProblem(file: path, reason: "this cannot be a manifest"))
        damagedManifests.append(path)
        continue
      }
      if let manifest = try decode(bytes, generation, path) {
        self.manifest = manifest
        checksum = Manifest.checksum(of: bytes)
        isRecovered = generation != highestGeneration
        return true
      }
    }
    // Without any file this is a store before its first commit, or one whose manifests are gone.
    manifest = Manifest()
    checksum = 0
    isRecovered = true
    return true
  }

  /// The manifest in `bytes`; nil, and a problem, when it does not verify.
  private mutating func decode(
    _ bytes: [UInt8], _ generation: UInt64, _ path: String
  ) throws(StoreError) -> Manifest? {
    do throws(Manifest.Flaw) {
      let manifest = try Manifest(bytes.rawSpan)
      if manifest.generation == generation { return manifest }
      problems.append(StoreProblem(file: path, reason: "the manifest is of another generation"))
    } catch {
      switch error {
      case .unsupportedVersion(let major):
        throw .unsupportedVersion(file: path, majorVersion: major)
      case .damaged(let offset):
        problems.append(
          StoreProblem(file: path, offset: offset, reason: "the manifest is damaged"))
      }
    }
    damagedManifests.append(path)
    return nil
  }

  private mutating func open(
    _ entry: Manifest.Entry, _ layout: StoreLayout, _ fileSystem: any FileSystem
  ) {
    let path = layout.segment(entry.id)
    do {
      let segment = try Segment(mapping: path, fileSystem: fileSystem)
      guard segment.id == entry.id, UInt64(segment.byteCount) == entry.length,
        segment.checksum == entry.checksum, segment.rowCount == Int(entry.rowCount)
      else {
        throw SegmentError(segment: path, offset: 0, reason: "this is not the segment listed")
      }
      segments.append(segment)
    } catch {
      if let error = error as? DiskError, !error.isMissing { isPreliminary = true }
      lost.append(
        Gap(
          file: layout.relative(path), cause: .lostSegment, missing: UInt64(entry.rowCount),
          timeRange: entry.timeRange))
      problems.append(StoreProblem(path, error))
    }
  }

  /// The names in a directory; none when it is missing.
  static func names(
    in directory: String, _ fileSystem: any FileSystem
  ) throws(StoreError) -> [String] {
    do throws(DiskError) {
      return try fileSystem.list(directory)
    } catch {
      if error.isMissing { return [] }
      throw .disk(error)
    }
  }
}

extension StoreProblem {
  /// The problem that `error` makes of the file at `path`.
  package init(_ path: String, _ error: any Error) {
    if let error = error as? SegmentError {
      self.init(file: path, offset: error.offset, reason: error.reason)
    } else {
      self.init(file: path, reason: "\(error)")
    }
  }
}
