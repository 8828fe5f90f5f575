public import JournalKit

/// Why a store could not do what it was asked.
public enum StoreError: Error, Equatable, Sendable {
  /// There is no store in this directory.
  case notAStore(String)
  /// The session has ended.
  case closed
  /// The operating system refused.
  case disk(DiskError)
  /// A segment that was just made is not what went into it.
  case segment(SegmentError)
  /// Another process is changing the store.
  case busy
  /// Another process changed the store in spite of the lock; nothing of this change was kept.
  case conflict(generation: UInt64)
  /// The journal in this directory has a living owner.
  case journalIsLive(String)
  /// A newer program wrote the store's manifest.
  case unsupportedVersion(file: String, majorVersion: UInt16)
  /// A file that may yet become readable stands in the way: its journal stays as it is.
  case unreadable(JournalDamage)
}

/// Something that is wrong with a store which could be opened all the same.
public struct StoreProblem: Sendable, Equatable, CustomStringConvertible {
  /// The file's path.
  public let file: String
  /// Where in the file, in bytes, if that is known.
  public let offset: Int?
  /// What is wrong, as a sentence without a full stop.
  public let reason: String

  /// Describes a problem.
  public init(file: String, offset: Int? = nil, reason: String) {
    self.file = file
    self.offset = offset
    self.reason = reason
  }

  /// Such as `segments/x.pseg at 4096: the block's checksum is wrong`.
  public var description: String {
    offset.map { "\(file) at \($0): \(reason)" } ?? "\(file): \(reason)"
  }
}
