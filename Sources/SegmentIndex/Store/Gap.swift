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

  /// Describes a gap.
  public init(
    file: String, offset: Int64 = 0, cause: Cause, missing: UInt64?,
    timeRange: ClosedRange<Int64>? = nil
  ) {
    self.file = file
    self.offset = offset
    self.cause = cause
    self.missing = missing
    self.timeRange = timeRange
  }

  /// Whether both were found at the same place: then they are one.
  package func isSame(as other: Gap) -> Bool {
    file == other.file && offset == other.offset && cause == other.cause
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
      missing: report.droppedEntryCount)
  }

  /// Whatever the journal in `directory` holds, which cannot be read now.
  package init(unreadable directory: String, in store: SegmentStore) {
    self.init(file: store.layout.relative(directory), cause: .damagedJournal, missing: nil)
  }

  /// What `damage` to a journal costs; nil when it costs no entry.
  package init?(_ damage: JournalDamage, in store: SegmentStore) {
    guard damage.missing != 0 else { return nil }
    self.init(
      file: store.layout.relative(damage.file), offset: damage.offset,
      cause: damage.kind == .missingSegments ? .missingJournal : .damagedJournal,
      missing: damage.missing)
  }
}
