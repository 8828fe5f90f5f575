internal import JournalKit

// What leaves the store, or is written anew.

extension StoreTransaction {
  /// Forgets what is missing from times of which nothing is left without the segments `ids`.
  func forgetGaps(without ids: Set<UniqueID>) {
    let rest = contents.manifest.segments.filter { !ids.contains($0.id) }
    guard let oldest = rest.map(\.timeRange.lowerBound).min() else { return }
    contents.manifest.gaps.removeAll { $0.timeRange.map { $0.upperBound < oldest } == true }
  }

  /// Puts one segment in the place of `segments`, with all of their records.
  package func replace(_ segments: [Segment]) throws(StoreError) {
    precondition(isSealed, "what is under way is sealed first")
    var merged = SegmentBuilder()
    var digest: UInt64 = 0
    for segment in segments {
      digest &+= segment.digest
      try copy(segment, to: &merged) { _ in true }
      guard merged.byteEstimate <= 2 * Self.byteLimit else {
        throw .segment(
          SegmentError(
            segment: merged.id.description, offset: 0,
            reason: "the segments to be merged take too much memory together"))
      }
    }
    guard merged.digest == digest else {
      throw .segment(
        SegmentError(
          segment: merged.id.description, offset: 0,
          reason: "the segments to be merged do not hold the records written to them"))
    }
    try put(merged, inPlaceOf: segments)
  }

  /// Puts a segment without the records that `isUnwanted` says in the place of `segment`, if there are any; returns
  /// how many.
  func remove(
    from segment: Segment, where isUnwanted: (Record) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    precondition(isSealed, "what is under way is sealed first")
    var rest = SegmentBuilder()
    try copy(segment, to: &rest) { record throws(StoreError) in try !isUnwanted(record) }
    let count = segment.rowCount - rest.rowCount
    if rest.rowCount == 0 {
      drop([segment.id])
    } else if count > 0 {
      try put(rest, inPlaceOf: [segment])
    }
    return count
  }

  private func copy(
    _ segment: Segment, to builder: inout SegmentBuilder,
    where isWanted: (Record) throws(StoreError) -> Bool
  ) throws(StoreError) {
    do {
      var reader = try RecordReader(segment)
      for granule in 0..<segment.granuleCount {
        for record in try reader.records(in: segment.rows(ofGranule: granule))
        where try isWanted(record) {
          builder.append(record)
        }
      }
    } catch {
      throw StoreError(error)
    }
    for session in segment.sessions { builder.add(session) }
    for source in segment.sources { builder.add(source) }
  }

  private func put(
    _ builder: consuming SegmentBuilder, inPlaceOf segments: [Segment]
  ) throws(StoreError) {
    for segment in segments { builder.add(parent: segment.id) }
    let id = builder.id
    try write(builder)
    let parents = Set(segments.map(\.id))
    guard let last = contents.manifest.segments.lastIndex(where: { parents.contains($0.id) })
    else { preconditionFailure("only segments of the store are replaced") }
    // Its place among the others says when its records joined.
    places[id] = contents.manifest.segments[last].id
    drop(parents)
  }
}
