package import SegmentIndex

/// Turns the entries of one journal, in order, into records for a segment.
///
/// Until the journal's session entry is seen, and should it be lost, records belong to the session that the
/// journal's directory is named after.
package struct LogJournalDecoder {
  private var session: UniqueID

  package init(journalName: String) {
    session = UniqueID(journalName) ?? UniqueID(bits: 0)
  }

  package mutating func decode(_ payload: RawSpan) -> DecodedEntry {
    do throws(JSONError) {
      switch try LogJournalEntry(decoding: payload, in: session) {
      case .session(let info):
        session = info.id
        return .session(info)
      case .record(let record): return .record(record)
      case nil: return .skip
      }
    } catch {
      return .malformed(reason: "\(error.reason) at byte \(error.offset)")
    }
  }
}
