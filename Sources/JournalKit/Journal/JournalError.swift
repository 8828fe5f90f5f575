/// Why a journal could not do what it was asked.
public enum JournalError: Error, Equatable, Sendable {
  /// The journal was closed before.
  case closed
  /// The process was forked off the one that opened the journal and goes on writing to it. The child needs a
  /// journal of its own, in another directory.
  case forked
  /// The entry is longer than a journal can hold; lengths in bytes.
  case entryTooLarge(length: Int, limit: Int)
  /// Another process, or another `Journal` of this one, has the directory open.
  case ownedByAnother(directory: String)
  /// The directory holds a segment of a newer format, which this program must not continue.
  case unsupportedVersion(file: String, majorVersion: UInt16)
  /// The operating system refused. The entry was not acknowledged; a later one may succeed.
  case disk(DiskError)
}

/// How much an entry survives from the moment that `append` returns.
public enum Sync: Sendable {
  /// The death of the process by any means: the entry is in the operating system's hands.
  case processDeath
  /// Also a loss of power: the entry is on stable storage.
  case full
}
