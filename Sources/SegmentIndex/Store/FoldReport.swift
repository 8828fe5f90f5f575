internal import JournalKit

/// What the compactor makes of a journal's entry.
package enum DecodedEntry: Sendable {
  case record(Record)
  case session(SessionInfo)
  /// Not for the store, or of a kind that only newer programs know.
  case skip
  /// Intact, but not what a program would have written.
  case malformed(reason: String)
}

/// What a fold did.
package struct FoldReport: Sendable, Equatable {
  /// Nil when the journal had no readable segment.
  package internal(set) var journalID: UInt128?
  /// The entries behind those that were in the store already.
  package internal(set) var entryCount = 0
  package internal(set) var recordCount = 0
  package internal(set) var skippedCount = 0
  package internal(set) var malformedCount = 0
  /// Segments that joined the store.
  package internal(set) var segmentCount = 0
  /// What is known to be missing of this journal, whether found now or before.
  package internal(set) var gaps: [Gap] = []
  /// Whether the journal's writer ended in the middle of an entry, which nobody was promised.
  package internal(set) var foundTornEntry = false
  /// Whether its writer closed the journal, instead of just ending.
  package internal(set) var isCleanlyClosed = false
  /// Whether the journal is gone now.
  package internal(set) var isJournalRemoved = false
  /// The runs of the program that the journal describes.
  package var sessions: [SessionInfo] { descriptions.all }
  var descriptions = SessionDescriptions()
  /// What did not go as it should: damage, malformed entries, files that could not be removed.
  package internal(set) var problems: [StoreProblem] = []

  /// The report on a journal that has nothing in it.
  package init() {}
}
