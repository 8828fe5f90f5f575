extension Journal {
  /// How much a journal keeps, and in which pieces.
  public struct Configuration: Sendable {
    /// The most bytes that all segments together take; the oldest segment makes way. At least 4 KiB.
    public var maximumByteCount: Int
    /// The length at which a new segment begins: at least 1 KiB, at most half of `maximumByteCount`.
    /// Nil is 16 MiB or that half, whichever is less.
    public var segmentByteCount: Int?
    /// How entries reach their file.
    public var backend: Backend
    /// Produces the entries that every segment begins with, so that the journal explains itself however
    /// many old segments are gone. Called once per segment while the journal is locked: it must not use
    /// the journal.
    public var segmentHeader: (@Sendable () -> [[UInt8]])?

    /// A configuration; see the properties.
    public init(
      maximumByteCount: Int = 300 << 20, segmentByteCount: Int? = nil,
      backend: Backend = .automatic, segmentHeader: (@Sendable () -> [[UInt8]])? = nil
    ) {
      self.maximumByteCount = maximumByteCount
      self.segmentByteCount = segmentByteCount
      self.backend = backend
      self.segmentHeader = segmentHeader
    }

    /// How entries reach their file. The bytes are the same either way, and so is the promise: an appended entry
    /// is in the operating system's hands.
    public enum Backend: Sendable {
      /// Mapped where that is safe, written elsewhere.
      ///
      /// It is safe where the file system keeps the space that it allocated (ext4, xfs and tmpfs, on Linux): else
      /// a full disk would be a signal. So would be a living journal's file that somebody truncates, which nothing
      /// can prevent; deleting it is harmless. Segments below 64 KiB are written, and so are those of a budget
      /// below three segments.
      case automatic
      /// Mapped even where nobody knows whether that is safe. Written all the same for a budget below three
      /// segments, and wherever mapping fails.
      case mapped
      /// One system call for each entry.
      case written
    }

    /// `maximumByteCount` within its range.
    var byteBudget: Int { max(maximumByteCount, 4 << 10) }

    /// `segmentByteCount` within its range. A segment is far below 2^32 entries of 8 bytes.
    package var segmentLimit: Int {
      let half = byteBudget / 2
      return min(max(segmentByteCount ?? min(16 << 20, half), 1 << 10), half, 1 << 30)
    }

    /// The length of a file that is mapped: the segment, and behind it room for the frames that may come
    /// when it is full, two syncs and the seal. Nil when segments are written.
    package var mappedLength: Int? {
      let length = (segmentLimit + 2 * 4096 - 1) & ~4095
      guard byteBudget / 3 >= length else { return nil }
      switch backend {
      case .automatic: return segmentLimit >= 64 << 10 ? length : nil
      case .mapped: return length
      case .written: return nil
      }
    }

    /// The longest entry: one that fits a segment of its own within the budget.
    var entryLimit: Int {
      let overhead = Int(JournalSegmentHeader.framesStart) + JournalFormat.frameOverhead
      return min(JournalFormat.maximumPayloadLength, byteBudget - 2 * overhead)
    }
  }
}
