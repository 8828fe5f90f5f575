package import JournalKit

/// Finds out what is missing of a journal while its entries are read: how much, and between which times.
///
/// Those are the times of the records on both sides, or when the program was started and when its journal was folded.
package struct JournalGaps: Sendable {
  private var lastSequence: UInt64
  /// The time of the last record, or of the start.
  private var lastTime: Int64?
  /// Gaps that no record followed yet: their first missing sequence, and the time before.
  private var pending: [UInt64: Int64] = [:]
  private var ranges: [UInt64: ClosedRange<Int64>] = [:]
  private var malformed: [String: Malformed] = [:]
  /// The files with malformed entries that no record followed yet.
  private var openFiles: Set<String> = []

  /// The malformed entries of one file.
  private struct Malformed {
    /// Where the first one is.
    let offset: Int64
    var count: UInt64 = 0
    /// From the record before the first to the one after the last; nil when there is none before.
    var times: ClosedRange<Int64>?

    mutating func extend(to time: Int64) {
      times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) }
    }
  }

  /// For a journal that is read behind `sequence`.
  package init(after sequence: UInt64) {
    lastSequence = sequence
  }

  /// Takes the next entry into account, and what it was decoded as.
  package mutating func take(_ entry: borrowing JournalEntry, as decoded: DecodedEntry) {
    // The program was started before its first record.
    if case .session(let session) = decoded, lastTime == nil { lastTime = session.start }
    // Every segment repeats its header, which is not among the entries that are counted.
    guard entry.kind == .entry else { return }
    if let lastTime, entry.sequence != lastSequence + 1 {
      pending[lastSequence + 1] = lastTime
    }
    lastSequence = entry.sequence
    switch decoded {
    case .record(let record): pass(record.time)
    case .malformed:
      let (file, offset, before) = (entry.file, entry.offset, lastTime.map { $0...$0 })
      malformed[file, default: Malformed(offset: offset, times: before)].count += 1
      openFiles.insert(file)
    case .session, .skip: break
    }
  }

  /// Notes a record's time.
  private mutating func pass(_ time: Int64) {
    // Clocks are set back now and then.
    for (sequence, before) in pending { ranges[sequence] = min(before, time)...max(before, time) }
    pending = [:]
    for file in openFiles { malformed[file]?.extend(to: time) }
    openFiles = []
    lastTime = time
  }
}

// MARK: - The gaps

extension JournalGaps {
  /// What is missing of the journal in `directory`, of which the entries behind `sequence` have been read.
  ///
  /// - Parameters:
  ///   - report: what reading the journal came to.
  ///   - now: the time for what no record followed; nil when that is not known, or records may follow yet.
  package func gaps(
    _ report: JournalRecoveryReport, of directory: String, after sequence: UInt64,
    now: Int64? = nil, in store: SegmentStore
  ) -> [Gap] {
    var gaps: [Gap] = []
    for damage in report.damages {
      guard var gap = Gap(damage, to: report.journalID, in: store) else { continue }
      gap.timeRange = damage.firstMissing.flatMap { range(ofGapAt: $0, now) }
      gaps.append(gap)
    }
    if var gap = Gap(droppedFrom: directory, after: sequence, report, in: store) {
      gap.timeRange = range(ofGapAt: sequence + 1, now)
      gaps.append(gap)
    }
    for (file, var entries) in malformed.sorted(by: { $0.key < $1.key }) {
      if openFiles.contains(file) {
        if let now { entries.extend(to: now) } else { entries.times = nil }
      }
      gaps.append(
        Gap(
          file: store.layout.relative(file), offset: entries.offset, cause: .malformed,
          missing: entries.count, timeRange: entries.times, journal: report.journalID))
    }
    return gaps.condensed()
  }

  /// The times around the gap whose first missing entry is `sequence`; nil when they are not known.
  private func range(ofGapAt sequence: UInt64, _ now: Int64?) -> ClosedRange<Int64>? {
    if let range = ranges[sequence] { return range }
    guard let now, let before = pending[sequence] ?? (sequence > lastSequence ? lastTime : nil)
    else { return nil }
    return min(before, now)...max(before, now)
  }
}
