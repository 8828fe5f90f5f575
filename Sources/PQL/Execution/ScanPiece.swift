internal import SegmentIndex

/// Granules that follow one another in one segment.
struct ScanPiece: Sendable {
  let segment: Int
  let granules: Range<Int>
}

extension SegmentScan {
  /// The granules to look at that are in a piece.
  func granules(of piece: ScanPiece) -> [Int] {
    granules.filter(piece.granules.contains)
  }
}

/// Scans of segments that have been made already, by the segments' numbers.
///
/// An array of boxes: with a dictionary the runtime looks through all conformances of the program once, which a process
/// that asks one question notices.
struct Scans {
  private final class Box {
    let scan: SegmentScan

    init(_ scan: SegmentScan) {
      self.scan = scan
    }
  }

  private var boxes: [Box?] = []

  subscript(segment: Int) -> SegmentScan? {
    get { segment < boxes.count ? boxes[segment]?.scan : nil }
    set {
      while boxes.count <= segment { boxes.append(nil) }
      boxes[segment] = newValue.map(Box.init)
    }
  }

  /// Takes the scan of a segment out, so that it can be changed without a copy of what it has.
  mutating func take(_ segment: Int) -> SegmentScan? {
    guard let scan = self[segment] else { return nil }
    boxes[segment] = nil
    return scan
  }
}

extension Executor {
  /// Lets workers, one for each processor, scan segments, each a like share of the granules in their order: few granules
  /// are done by this one alone. Notes what they noted, and returns their results in that order.
  ///
  /// - Parameters:
  ///   - mostWorkers: no more of them than this, which is at least 1.
  ///   - body: scans pieces, each with the scan that is there or one of its own.
  mutating func concurrently<Result: Sendable>(
    on indices: some Collection<Int>, mostWorkers: Int = .max,
    _ body: @Sendable (inout Executor, [ScanPiece], inout Scans) -> Result
  ) -> [Result] {
    var scans = Scans()
    var pieces: [ScanPiece] = []
    var count = 0
    for index in indices {
      let isEnough = count >= concurrency.granuleCount && workerCount(mostWorkers) > 1
      // Once there is enough for several, they find out themselves where there is nothing.
      guard let piece = isEnough ? piece(of: index) : scannedPiece(of: index, &scans)
      else { continue }
      pieces.append(piece.piece)
      count += piece.count
    }
    guard count >= concurrency.granuleCount, count > 0, workerCount(mostWorkers) > 1
    else { return [body(&self, pieces, &scans)] }
    let shares = shares(of: pieces, workerCount(mostWorkers))
    var idle = self
    idle.summary = QuerySummary()
    let done = concurrentResults(shares.count) { [idle] share in
      var worker = idle
      var scans = Scans()
      let result = body(&worker, shares[share], &scans)
      return (worker: worker, result: result)
    }
    for part in done { add(part.worker) }
    return done.map(\.result)
  }

  private func workerCount(_ most: Int) -> Int { min(most, concurrency.threadCount) }

  /// The granules that a scan of the segment leaves, from the first to the last, and how many they are.
  private mutating func scannedPiece(
    of index: Int, _ scans: inout Scans
  ) -> (piece: ScanPiece, count: Int)? {
    guard let scan = scan(index), let first = scan.granules.first, let last = scan.granules.last
    else { return nil }
    let piece = ScanPiece(segment: index, granules: first..<last + 1)
    let count = scan.granules.count
    // The last thing done with the scan, which is large, so that it is moved and not copied.
    scans[index] = scan
    return (piece, count)
  }

  /// The granules that the condition's bounds of time leave, from the first to the last, and how many they are.
  private func piece(of index: Int) -> (piece: ScanPiece, count: Int)? {
    let bounds = query.condition.timeBounds
    // Bounds that cannot be read are noticed by the scan.
    guard let times = try? segments[index].granuleTimes else {
      let granules = 0..<segments[index].granuleCount
      return (ScanPiece(segment: index, granules: granules), granules.count)
    }
    let first = times.firstIndex { $0.map(bounds.overlaps) ?? true } ?? 0
    let last = times.lastIndex { $0.map(bounds.overlaps) ?? true } ?? -1
    let granules = first..<max(first, last + 1)
    return (ScanPiece(segment: index, granules: granules), granules.count)
  }

  /// Divides the pieces into shares of about as many granules each.
  private func shares(of pieces: [ScanPiece], _ shareCount: Int) -> [[ScanPiece]] {
    let count = max(1, pieces.reduce(0) { $0 + $1.granules.count })
    var shares = [[ScanPiece]](repeating: [], count: shareCount)
    var done = 0
    for piece in pieces {
      var granules = piece.granules
      if granules.isEmpty { shares[min(done * shareCount / count, shareCount - 1)].append(piece) }
      while !granules.isEmpty {
        let share = min(done * shareCount / count, shareCount - 1)
        // Where the share ends.
        let end = (count * (share + 1) + shareCount - 1) / shareCount
        let part = granules.prefix(end - done)
        shares[share].append(ScanPiece(segment: piece.segment, granules: part))
        done += part.count
        granules = part.upperBound..<granules.upperBound
      }
    }
    return shares
  }

  /// Notes what a worker has noted.
  private mutating func add(_ worker: Executor) {
    summary.scannedGranuleCount += worker.summary.scannedGranuleCount
    summary.readByteCount += worker.summary.readByteCount
    summary.scannedCount += worker.summary.scannedCount
    summary.matchedCount += worker.summary.matchedCount
    // Workers that share a segment find the same wrong with it.
    for gap in worker.summary.gaps where !summary.gaps.contains(gap) { summary.gaps.append(gap) }
    skippedSegments.formUnion(worker.skippedSegments)
    damaged.formUnion(worker.damaged)
  }
}
