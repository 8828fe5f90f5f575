import SegmentIndex

/// What is known of an event before it has a place in its session; where it was logged and its fields come beside it.
///
/// Most records are only written to the journal, and for that this is enough: a `Record` with its twenty fields is made
/// when somebody else gets it as well.
struct RecordDraft {
  var time: Int64 = 0
  let level: LogLevel
  let event: String
  var version: Int64 = 1
  let message: String
  var tags: [LogTag]
  var span: UniqueID?
  var externalID: String?

  init(level: LogLevel, event: String, message: String, tags: [LogTag]) {
    self.level = level
    self.event = event
    self.message = message
    self.tags = tags
  }
}

extension Record {
  /// The record of `draft`, which has no place yet and no fields.
  init(_ draft: RecordDraft, _ place: LogPlace, _ site: CallSite, session: UniqueID) {
    self.init(
      id: UniqueID(bits: 0), time: draft.time, sequence: 0, session: session, level: draft.level,
      event: draft.event, message: draft.message)
    version = draft.version
    scopes = place.paths
    tags = draft.tags
    span = draft.span
    externalID = draft.externalID
    attachments = place.attachments
    set(site)
  }
}
