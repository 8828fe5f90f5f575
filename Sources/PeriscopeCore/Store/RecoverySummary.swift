public import SegmentIndex

/// What folding the journals of earlier sessions into a store brought to light.
public struct RecoverySummary: Sendable, Equatable {
  /// One journal that was folded.
  public struct Journal: Sendable, Equatable {
    /// The session that logged; nil when not even its session entry could be read.
    public var session: SessionInfo?
    /// The records that joined the store.
    public var recordCount: Int
    /// Whether the session closed its store, instead of just ending.
    public var wasClosed: Bool
    /// Whether it ended in the middle of an entry, whose log call had not returned.
    public var foundTornEntry: Bool
    /// What is known to be missing.
    public var gaps: [Gap]
  }

  /// The journals that were folded, oldest session first.
  public var journals: [Journal] = []
  /// What did not go as it should. A journal that could not be folded stays for the next time.
  public var problems: [StoreProblem] = []

  /// The records that joined the store.
  public var recordCount: Int { journals.reduce(0) { $0 + $1.recordCount } }

  mutating func add(_ report: FoldReport) {
    problems += report.problems
    guard report.entryCount > 0 || !report.gaps.isEmpty else { return }
    journals.append(
      Journal(
        session: report.sessions.last, recordCount: report.recordCount,
        wasClosed: report.isCleanlyClosed, foundTornEntry: report.foundTornEntry,
        gaps: report.gaps))
  }
}
