/// What reading a journal found besides its entries.
public struct JournalRecoveryReport: Sendable, Equatable {
  /// Identifies the journal; nil when no segment could be read.
  public internal(set) var journalID: UInt128?
  /// The entries that were handed out.
  public internal(set) var entryCount = 0
  /// The sequence of the last entry that is known of; 0 when there is none.
  public internal(set) var lastSequence: UInt64 = 0
  /// Whether a segment ends with bytes that were never acknowledged, as the death of a writer leaves them.
  public internal(set) var foundTornEntry = false
  /// Entries before the oldest segment, which made way for newer ones.
  public internal(set) var droppedEntryCount: UInt64 = 0
  /// Whether the writer closed the journal, instead of just ending.
  public internal(set) var isCleanlyClosed = false
  /// What could not be read, in the order of the files.
  public internal(set) var damages: [JournalDamage] = []
  /// The files that were read, and how they were.
  package internal(set) var segments: [Segment] = []

  /// The report on a journal that has nothing in it.
  package init() {}

  /// Whether entries at the beginning made way for newer ones.
  public var droppedOlderEntries: Bool { droppedEntryCount > 0 }

  /// One file of the journal.
  package struct Segment: Sendable, Equatable {
    package let info: JournalSegmentInfo
    package internal(set) var condition: Condition
  }

  /// How much of a file can be read.
  package enum Condition: Sendable, Equatable {
    /// All that was acknowledged.
    case intact
    /// Not all of it: the file is evidence.
    case damaged
    /// Nothing now, but perhaps later: refused by the operating system or made by a newer program.
    case unreadable
  }
}

/// A part of a journal that cannot be read.
public struct JournalDamage: Sendable, Equatable {
  /// What is wrong.
  public enum Kind: Sendable, Equatable {
    /// Bytes that are no frame, where entries were or may have been.
    case frames
    /// A segment's header. When both copies are gone, nothing in the file can be read.
    case header
    /// Segments that ought to be between two others.
    case missingSegments
    /// A segment whose entries do not add up to what its seal says.
    case seal
    /// A segment of another journal, or one that repeats sequences.
    case misplaced
    /// A segment of a newer format.
    case unsupportedVersion(UInt16)
    /// A file or directory that the operating system did not let us read.
    case unreadable(DiskError)
  }

  /// The path of the file; with missing segments, of the one behind them.
  public let file: String
  /// Where in the file the damage begins.
  public let offset: Int64
  /// Its length in bytes. Of hundreds in one file the last one reaches to the end of them all, and counts for them all:
  /// there are readable entries within.
  public internal(set) var length: Int64
  /// What is wrong.
  public let kind: Kind
  /// Exactly how many entries are missing here; nil when nothing says how many there were.
  public internal(set) var missing: UInt64?
  /// The sequence of the first missing entry, when any is known to be missing.
  public internal(set) var firstMissing: UInt64?

  /// Makes it stand for a further damage, too, which lies behind it in the file.
  mutating func extend(_ range: Range<Int64>, missing more: UInt64, from first: UInt64) {
    length = range.upperBound - offset
    missing = missing.map { $0 + more }
    if more > 0 && firstMissing == nil { firstMissing = first }
  }
}
