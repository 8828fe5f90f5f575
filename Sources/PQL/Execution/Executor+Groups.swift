internal import SegmentIndex

extension Executor {
  /// Puts every row that passes into its groups.
  mutating func group(into groups: inout GroupTable) {
    let uncounted = countByStatistics(into: &groups)
    guard !uncounted.isEmpty else { return }
    let empty = groups.emptied
    var parts = concurrently(on: uncounted) { worker, pieces, scans in
      var groups = empty.emptied
      for piece in pieces { worker.group(piece, &scans, into: &groups) }
      return groups
    }
    // Taken out one by one: a part that somebody else has would be copied.
    parts.reverse()
    while let part = parts.popLast() {
      if groups.hasRows { groups.add(part) } else { groups = part }
    }
  }

  private mutating func group(
    _ piece: ScanPiece, _ scans: inout Scans, into groups: inout GroupTable
  ) {
    guard var scan = scans.take(piece.segment) ?? scan(piece.segment) else { return }
    do throws(SegmentError) {
      var grouper = try SegmentGrouper(groups.grouping, &scan.reader)
      for granule in scan.granules(of: piece) where groups.hasRoom() {
        visit(granule, of: piece.segment, &scan) { rows, reader throws(SegmentError) in
          try grouper.group(rows, &reader, into: &groups)
        }
      }
      grouper.finish(scan.reader, into: &groups)
    } catch {
      noteGap(segment: piece.segment, error)
    }
  }
}
