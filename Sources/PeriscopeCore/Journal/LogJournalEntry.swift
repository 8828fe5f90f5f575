package import SegmentIndex

/// What an entry of a session's journal holds: a JSON envelope with a version and a kind.
///
/// ```json
/// {"v":1,"kind":"record","payload":{"seq":7,"t":1767225600000000000,"level":"info", ...}}
/// ```
///
/// There are two kinds, `session` and `record`. A record names its scopes by their whole paths and is
/// complete in itself, so no loss elsewhere in the journal can make it unreadable. The event's own
/// fields nest as JSON, to the byte as they were encoded. `docs/format/entry.md` lists every key.
package enum LogJournalEntry: Equatable {
  case session(SessionInfo)
  case record(Record)

  package static let version: Int64 = 1
}
