internal import JournalKit

extension StoreContents {
  /// The files of segments that do not count.
  struct Leftovers {
    /// Nobody knows what they were for: they go into the quarantine.
    var evidence: [String] = []
    /// Those of a change that died before its commit: they go into the quarantine before the next commit.
    var uncommitted: [String] = []
    /// Their records are elsewhere, or are meant to be gone: they are removed.
    var redundant: [String] = []
    /// Why nothing can be said of others now, which stay as they are; nil when there are none.
    var unsettled: StoreError?
  }

  /// Takes in segments that the manifest does not list but that nothing else could replace, and returns the others.
  ///
  /// An unlisted segment is what a change left that died just before its commit; then the journal, or the segments
  /// it stands for, still have the records, and it must not count. Or the manifest that listed it is
  /// gone. When there is still a file of that manifest, the segment's generation tells. Else its provenance does: no
  /// listed segment has its entries, and the journal does not have them any more. Segments without provenance, made by
  /// an import, count then only when `all` says that there is no manifest to miss them: an import that died before its
  /// commit will be repeated.
  ///
  /// When the manifest is not the one that was committed last, a segment that does not count may have been in that
  /// one: what it holds and nothing else does is noted as a gap.
  @discardableResult
  mutating func adopt(
    _ layout: StoreLayout, _ fileSystem: any FileSystem, all: Bool
  ) throws(StoreError) -> Leftovers {
    var leftovers = Leftovers()
    var candidates = try unlisted(layout, fileSystem, &leftovers)
    guard !candidates.isEmpty else { return leftovers }
    let journals = try Journals(layout, fileSystem)
    // A longer stretch before the shorter ones that it contains.
    candidates.sort { left, right in
      let (a, b) = (left.sources.first, right.sources.first)
      return (a?.firstSequence ?? 0, b?.lastSequence ?? 0, left.id)
        < (b?.firstSequence ?? 0, a?.lastSequence ?? 0, right.id)
    }
    // And what stands for others before those.
    let parents = Set(candidates.flatMap(\.parents))
    candidates =
      candidates.filter { !parents.contains($0.id) }
      + candidates.filter { parents.contains($0.id) }
    // What `compactedUpTo` is, kept up as segments join: to make it takes every source there is.
    var known = compactedUpTo
    var coverage = JournalCoverage(known)
    var superseded = Set(segments.flatMap(\.parents))
    var listed = Set(manifest.segments.map(\.id))
    var readable = segmentsByID
    var gaps: [Gap] = []
    func noteJoined(_ segment: Segment) {
      coverage.add(segment.sources)
      known.merge(segment.sources.map { ($0.journal, $0.lastSequence) }, uniquingKeysWith: max)
      superseded.formUnion(segment.parents)
    }
    for segment in candidates {
      if superseded.contains(segment.id)
        || stands(segment, for: readable) && !wasListed(segment)
      {
        superseded.formUnion(segment.parents)
        leftovers.redundant.append(segment.name)
      } else if replaceListed(by: segment, &listed, &readable, layout) {
        noteJoined(segment)
      } else if let error = journals.obstacle, isUnsettled(segment, journals) {
        leftovers.unsettled = error
        // What overlaps others is in part in those.
        let isExact = segment.sources.allSatisfy { !coverage.overlaps($0) }
        noteUnsettled(
          Gap(
            file: layout.relative(segment.name), cause: .lostSegment,
            missing: isExact ? UInt64(segment.rowCount) : nil, timeRange: segment.timeRange))
      } else if isIrreplaceable(segment, journals, coverage, all: all), segment.timeRange != nil {
        list(segment)
        listed.insert(segment.id)
        readable[segment.id] = segment
        noteJoined(segment)
      } else {
        let gap = isRecovered ? loss(of: segment, known, journals, layout) : nil
        if gap == nil && isUncommitted(segment) {
          leftovers.uncommitted.append(segment.name)
        } else {
          leftovers.evidence.append(segment.name)
        }
        if let gap { gaps.append(gap) }
      }
    }
    segments = manifest.segments.compactMap { readable[$0.id] }
    add(gaps)
    return leftovers
  }

  /// Notes what may be missing without a segment of which nothing can be said now, until something can.
  private mutating func noteUnsettled(_ gap: Gap) {
    guard isRecovered else { return }
    lost.append(gap)
    isPreliminary = true
  }

  /// The segments that can be opened and that the manifest does not list.
  private mutating func unlisted(
    _ layout: StoreLayout, _ fileSystem: any FileSystem, _ leftovers: inout Leftovers
  ) throws(StoreError) -> [Segment] {
    let listed = Set(manifest.segments.map(\.id))
    let removed = Set(manifest.removed)
    var candidates: [Segment] = []
    for name in try Self.names(in: layout.segments, fileSystem) {
      guard let id = StoreLayout.segmentID(ofFile: name), !listed.contains(id) else { continue }
      let path = layout.segment(id)
      if removed.contains(id) {
        leftovers.redundant.append(path)
        continue
      }
      do {
        let segment = try Segment(mapping: path, fileSystem: fileSystem)
        guard segment.id == id else {
          throw SegmentError(segment: path, offset: 0, reason: "the file has another's name")
        }
        candidates.append(segment)
      } catch let error as DiskError {
        if error.isMissing { continue }
        leftovers.unsettled = .disk(error)
        noteUnsettled(Gap(file: layout.relative(path), cause: .lostSegment, missing: nil))
        problems.append(StoreProblem(path, error))
      } catch {
        leftovers.evidence.append(path)
        problems.append(StoreProblem(path, error))
        guard isRecovered else { continue }
        add([Gap(file: layout.relative(path), cause: .lostSegment, missing: nil)])
      }
    }
    return candidates
  }

  /// What is missing without `segment`; nil when the store or a journal has all that is in it.
  private func loss(
    of segment: Segment, _ compacted: [UInt128: UInt64], _ journals: Journals,
    _ layout: StoreLayout
  ) -> Gap? {
    guard let timeRange = segment.timeRange, !segment.sources.isEmpty || !isUncommitted(segment)
    else { return nil }
    let isKnown = segment.sources.allSatisfy { source in
      let known = compacted[source.journal] ?? 0
      guard source.lastSequence > known else { return true }
      return journals.beginnings[source.journal].map { $0 <= max(known + 1, source.firstSequence) }
        ?? false
    }
    if isKnown && !segment.sources.isEmpty { return nil }
    // Of a stretch that overlaps others, nothing tells how much is in those.
    return Gap(
      file: layout.relative(segment.name), cause: .lostSegment,
      missing: segment.sources.isEmpty ? UInt64(segment.rowCount) : nil, timeRange: timeRange)
  }

  /// Notes what is missing, unless it was noted before; returns whether anything is new.
  @discardableResult
  mutating func add(_ gaps: [Gap]) -> Bool {
    guard !gaps.isEmpty else { return false }
    var places = Set(manifest.gaps.map(\.place))
    let new = gaps.filter { places.insert($0.place).inserted }
    manifest.gaps += new
    return !new.isEmpty
  }

  /// Whether a manifest that cannot be read listed `segment`: no change of a generation leaves a segment behind for it
  /// that it does not list.
  private func wasListed(_ segment: Segment) -> Bool {
    guard isRecovered, let generation = segment.generation else { return false }
    return manifest.generation < generation && generation <= highestGeneration
  }

  /// Whether `segment` is of a change that did not come to its commit.
  private func isUncommitted(_ segment: Segment) -> Bool {
    guard highestGeneration > 0, let generation = segment.generation else { return false }
    return generation > highestGeneration
  }

  private func isUnsettled(_ segment: Segment, _ journals: Journals) -> Bool {
    !wasListed(segment)
      && segment.sources.contains { journals.beginnings[$0.journal] == nil }
  }

  private func isIrreplaceable(
    _ segment: Segment, _ journals: Journals, _ coverage: JournalCoverage, all: Bool
  ) -> Bool {
    guard segment.sources.allSatisfy({ !coverage.overlaps($0) }) else { return false }
    if wasListed(segment) { return true }
    if segment.sources.isEmpty { return all && !isUncommitted(segment) }
    return segment.sources.contains { source in
      journals.beginnings[source.journal].map { source.firstSequence < $0 } ?? true
    }
  }

  /// Lists `segment` in the manifest.
  private mutating func list(_ segment: Segment) {
    isAmended = true
    manifest.segments.append(Manifest.Entry(segment))
    for source in segment.sources {
      manifest.compactedUpTo[source.journal] = max(
        manifest.compactedUpTo[source.journal] ?? 0, source.lastSequence)
    }
  }
}

// MARK: - Segments that stand for others

extension StoreContents {
  /// Whether all that `segment` stands for is in the store.
  private func stands(_ segment: Segment, for readable: [UniqueID: Segment]) -> Bool {
    !segment.parents.isEmpty && segment.parents.allSatisfy { readable[$0] != nil }
  }

  /// Puts `segment` in the place of listed segments whose files are gone: the manifest in which it did is lost.
  private mutating func replaceListed(
    by segment: Segment, _ listed: inout Set<UniqueID>, _ readable: inout [UniqueID: Segment],
    _ layout: StoreLayout
  ) -> Bool {
    guard !segment.parents.isEmpty, segment.timeRange != nil,
      segment.parents.allSatisfy(listed.contains)
    else { return false }
    let parents = Set(segment.parents)
    guard let last = manifest.segments.lastIndex(where: { parents.contains($0.id) })
    else { return false }
    isAmended = true
    manifest.segments[last] = Manifest.Entry(segment)
    manifest.segments.removeAll { parents.contains($0.id) }
    readable[segment.id] = segment
    listed.subtract(parents)
    listed.insert(segment.id)
    for parent in parents {
      readable[parent] = nil
      let path = layout.segment(parent)
      lost.removeAll { $0.file == layout.relative(path) }
      problems.removeAll { $0.file == path }
    }
    return true
  }
}

extension Manifest.Entry {
  /// Describes `segment`, which must have a record.
  init(_ segment: Segment) {
    guard let timeRange = segment.timeRange else {
      preconditionFailure("a store has no empty segments")
    }
    self.init(
      id: segment.id, length: UInt64(segment.byteCount), checksum: segment.checksum,
      rowCount: UInt32(segment.rowCount), timeRange: timeRange)
  }
}
