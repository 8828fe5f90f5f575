package import JournalKit

/// Records that the store ought to have and does not; a query that passes one says so.
public struct Gap: Sendable, Hashable {
  /// How the records went missing.
  public enum Cause: UInt8, Sendable, CaseIterable {
    /// Bytes of a journal were damaged.
    case damagedJournal = 1
    /// Files of a journal were gone.
    case missingJournal = 2
    /// The journal's budget dropped its oldest segment.
    case dropped = 3
    /// Entries were intact but made no sense; their file is in the store's quarantine.
    case malformed = 4
    /// A segment file is gone or cannot be opened.
    case lostSegment = 5
  }

  /// The file, by its path within the store.
  public var file: String
  /// Where in the file the trouble begins, in bytes.
  public var offset: Int64
  /// How the records went missing.
  public var cause: Cause
  /// How many records, or journal entries, are missing; nil when nothing tells.
  public var missing: UInt64?
  /// The times of the missing records in nanoseconds since 1970, if they are known.
  public var timeRange: ClosedRange<Int64>?
  /// The identity of the journal, if it is of one and that is known: a session that is continued has another journal,
  /// whose files are called the same.
  public var journal: UInt128?

  /// Describes a gap.
  public init(
    file: String, offset: Int64 = 0, cause: Cause, missing: UInt64?,
    timeRange: ClosedRange<Int64>? = nil, journal: UInt128? = nil
  ) {
    self.file = file
    self.offset = offset
    self.cause = cause
    self.missing = missing
    self.timeRange = timeRange
    self.journal = journal
  }

  /// Where it was found, and how: two of the same place are one.
  package var place: Gap {
    Gap(file: file, offset: offset, cause: cause, missing: nil, journal: journal)
  }
}

extension [Gap] {
  /// The most gaps of one journal that are kept apart.
  package static let limit = 1_024

  /// The same, but at most `limit`: the last one, where the others begin, stands for all of them, and for as many records.
  package func condensed(to limit: Int = limit) -> [Gap] {
    guard count > limit, limit > 0 else { return self }
    let rest = self[(limit - 1)...].dropFirst()
    var last = self[limit - 1]
    for gap in rest {
      let sum = last.missing.flatMap { missing in
        gap.missing.map { missing.addingReportingOverflow($0) }
      }
      last.missing = sum.flatMap { $0.overflow ? nil : $0.partialValue }
      last.timeRange = last.timeRange.flatMap { times in
        gap.timeRange.map {
          Swift.min(times.lowerBound, $0.lowerBound)...Swift.max(times.upperBound, $0.upperBound)
        }
      }
    }
    return self[..<(limit - 1)] + [last]
  }
}

extension Gap {
  /// What the byte budget of the journal in `directory` dropped behind `sequence`, which the store has; nil when
  /// that is nothing.
  package init?(
    droppedFrom directory: String, after sequence: UInt64, _ report: JournalRecoveryReport,
    in store: SegmentStore
  ) {
    guard report.droppedOlderEntries else { return nil }
    self.init(
      file: store.layout.relative(directory), offset: Int64(clamping: sequence), cause: .dropped,
      missing: report.droppedEntryCount, journal: report.journalID)
  }

  /// Whatever the journal in `directory` holds, which cannot be read now.
  package init(unreadable directory: String, in store: SegmentStore) {
    self.init(file: store.layout.relative(directory), cause: .damagedJournal, missing: nil)
  }

  /// What `damage` to a journal costs; nil when it costs no entry.
  package init?(_ damage: JournalDamage, to journal: UInt128?, in store: SegmentStore) {
    guard damage.missing != 0 else { return nil }
    self.init(
      file: store.layout.relative(damage.file), offset: damage.offset,
      cause: damage.kind == .missingSegments ? .missingJournal : .damagedJournal,
      missing: damage.missing, journal: journal)
  }
}
