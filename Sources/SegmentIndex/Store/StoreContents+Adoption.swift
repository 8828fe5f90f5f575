internal import JournalKit

extension StoreContents {
  /// Takes in segments that the manifest does not list but that nothing else could replace, and returns the
  /// paths of the others.
  ///
  /// An unlisted segment is what a fold left that died just before its commit; then the journal still has the
  /// entries and the fold will be repeated, so the segment must not count. Or the manifest that listed it is
  /// gone; then its provenance says that no listed segment has its entries, and the journal does not have them
  /// any more. Segments without provenance, made by an import, count only when `all` says that there is no
  /// manifest to miss them: an import that died before its commit will be repeated.
  ///
  /// When the manifest is not the one that was committed last, a segment that does not count may have been in that
  /// one: what it holds and nothing else does is noted as a gap.
  @discardableResult
  mutating func adopt(
    _ layout: StoreLayout, _ fileSystem: any FileSystem, all: Bool
  ) throws(StoreError) -> [String] {
    let listed = Set(manifest.segments.map(\.id))
    var candidates: [Segment] = []
    var others: [String] = []
    for name in try Self.names(in: layout.segments, fileSystem) {
      guard let id = StoreLayout.segmentID(ofFile: name), !listed.contains(id) else { continue }
      let path = layout.segment(id)
      do {
        let segment = try Segment(
          storage: SharedBytes(mapping: path, fileSystem: fileSystem), name: path)
        guard segment.id == id else {
          throw SegmentError(segment: path, offset: 0, reason: "the file has another's name")
        }
        candidates.append(segment)
      } catch {
        others.append(path)
        problems.append(StoreProblem(path, error))
        if isRecovered { add(Gap(file: layout.relative(path), cause: .lostSegment, missing: nil)) }
      }
    }
    guard !candidates.isEmpty else { return others }
    let journals = try beginnings(layout, fileSystem)
    // A longer stretch before the shorter ones that it contains.
    candidates.sort { left, right in
      let (a, b) = (left.sources.first, right.sources.first)
      return (a?.firstSequence ?? 0, b?.lastSequence ?? 0, left.id)
        < (b?.firstSequence ?? 0, a?.lastSequence ?? 0, right.id)
    }
    for segment in candidates {
      if isIrreplaceable(segment, journals, all: all), segment.timeRange != nil {
        add(segment)
      } else {
        others.append(segment.name)
        if isRecovered, let gap = loss(of: segment, journals, layout) { add(gap) }
      }
    }
    return others
  }

  /// What is missing without `segment`; nil when the store or a journal has all that is in it.
  private func loss(
    of segment: Segment, _ journals: [UInt128: UInt64], _ layout: StoreLayout
  ) -> Gap? {
    guard let timeRange = segment.timeRange else { return nil }
    let isKnown = segment.sources.allSatisfy { source in
      let known = manifest.compactedUpTo[source.journal] ?? 0
      guard source.lastSequence > known else { return true }
      return journals[source.journal].map { $0 <= max(known + 1, source.firstSequence) } ?? false
    }
    if isKnown && !segment.sources.isEmpty { return nil }
    // Of a stretch that overlaps others, nothing tells how much is in those.
    return Gap(
      file: layout.relative(segment.name), cause: .lostSegment,
      missing: segment.sources.isEmpty ? UInt64(segment.rowCount) : nil, timeRange: timeRange)
  }

  /// Notes something missing, unless it was noted before; returns whether it is new.
  @discardableResult
  mutating func add(_ gap: Gap) -> Bool {
    guard !manifest.gaps.contains(where: { $0.isSame(as: gap) }) else { return false }
    manifest.gaps.append(gap)
    return true
  }

  private func isIrreplaceable(
    _ segment: Segment, _ journals: [UInt128: UInt64], all: Bool
  ) -> Bool {
    guard !segment.sources.isEmpty else { return all }
    let isNew = segment.sources.allSatisfy {
      $0.firstSequence > manifest.compactedUpTo[$0.journal] ?? 0
    }
    let isGone = segment.sources.contains { source in
      journals[source.journal].map { source.firstSequence < $0 } ?? true
    }
    return isNew && isGone
  }

  /// Lists `segment` in the manifest.
  mutating func add(_ segment: Segment) {
    manifest.segments.append(Manifest.Entry(segment))
    segments[segment.id] = segment
    for source in segment.sources {
      manifest.compactedUpTo[source.journal] = max(
        manifest.compactedUpTo[source.journal] ?? 0, source.lastSequence)
    }
  }

  /// The first sequence that each of the store's journals still has.
  private func beginnings(
    _ layout: StoreLayout, _ fileSystem: any FileSystem
  ) throws(StoreError) -> [UInt128: UInt64] {
    var beginnings: [UInt128: UInt64] = [:]
    for name in try Self.names(in: layout.journals, fileSystem) {
      do throws(DiskError) {
        let directory = FilePath.join(layout.journals, name)
        guard
          let beginning = try JournalRecovery.beginning(of: directory, fileSystem: fileSystem)
        else { continue }
        beginnings[beginning.journalID] = beginning.firstSequence
      } catch {
        throw .disk(error)
      }
    }
    return beginnings
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
