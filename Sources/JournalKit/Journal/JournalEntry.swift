/// An entry as it is handed out while a journal is read.
package struct JournalEntry: ~Escapable {
  package enum Kind: Sendable {
    /// One of the entries that each segment repeats first.
    case header
    case entry
  }

  package let kind: Kind
  /// The entry's place in the journal, from 1; 0 for a header entry.
  package let sequence: UInt64
  /// The path of the file that it is in.
  package let file: String
  /// Where its frame begins in the file.
  package let offset: Int64
  /// The entry itself, valid during the call.
  package let payload: RawSpan

  @_lifetime(copy payload)
  init(kind: Kind, sequence: UInt64, file: String, offset: Int64, payload: RawSpan) {
    self.kind = kind
    self.sequence = sequence
    self.file = file
    self.offset = offset
    self.payload = payload
  }
}
