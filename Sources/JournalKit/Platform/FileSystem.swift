/// The one door to the operating system's files.
///
/// Every byte of file input and output passes through an implementation of this protocol, so that a
/// test can make any call fail, cut it short, or be the last one before the power goes. There are
/// two: `POSIXFileSystem`, and the test suite's simulated disk.
///
/// Calls map one to one to system calls: no buffering, no retrying of partial transfers (only of
/// `EINTR`, which transfers nothing). There is no `append`: a journal file has one writer, which
/// keeps the end offset, and positioned writes let it put a frame's checksum under that offset.
/// Helpers that loop over short transfers are extensions, so that a short transfer can be
/// simulated below them.
package protocol FileSystem: Sendable {
  /// Opens the file at `path`.
  func open(_ path: String, _ access: FileAccess) throws(DiskError) -> FileNumber
  /// Closes `file`. The number is invalid afterwards, even when this throws.
  func close(_ file: FileNumber) throws(DiskError)

  /// Reads up to `buffer.count` bytes at `offset`; 0 at or after the end of the file.
  func read(
    _ file: FileNumber, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(DiskError) -> Int
  /// The first offset from `offset` on that may hold anything but zeros; nil when there is none. Space that was
  /// allocated and never written is passed over without being read, where the file system knows it.
  func nextData(_ file: FileNumber, from offset: Int64) throws(DiskError) -> Int64?
  /// Writes up to `bytes.byteCount` bytes at `offset` and returns how many were written.
  func write(_ file: FileNumber, _ bytes: RawSpan, at offset: Int64) throws(DiskError) -> Int
  /// Makes `length` bytes of real space and sets the file's length to at least that.
  func allocate(_ file: FileNumber, length: Int64) throws(DiskError)
  /// Cuts or extends the file to `length`. Never called on a file that another process may map.
  func truncate(_ file: FileNumber, length: Int64) throws(DiskError)
  /// Returns once the file's content is on stable storage.
  func sync(_ file: FileNumber) throws(DiskError)
  /// Returns once the entries of the directory at `path` are on stable storage.
  func syncDirectory(_ path: String) throws(DiskError)

  /// Maps the first `length` bytes (at least 1) for reading.
  func map(_ file: FileNumber, length: Int) throws(DiskError) -> UnsafeRawBufferPointer
  /// Releases a region that `map` or `mapForWriting` returned.
  func unmap(_ region: UnsafeRawBufferPointer)

  /// Whether the space that `allocate` makes for a file in the directory at `path` is the file's own,
  /// whatever happens: then a store into a mapping cannot fail for want of space, which would be a signal.
  func keepsAllocations(in path: String) throws(DiskError) -> Bool
  /// Maps the first `length` bytes (at least 1), which must be allocated, for reading and writing.
  func mapForWriting(
    _ file: FileNumber, length: Int
  ) throws(DiskError) -> UnsafeMutableRawBufferPointer
  /// Brings the pages of a region that `mapForWriting` returned into memory, as far as possible, so that the
  /// first store into each need not. Others may store, and the file may be cut off, meanwhile.
  func populate(_ region: UnsafeMutableRawBufferPointer)

  /// Takes the file's advisory lock without waiting; false when someone else holds it. The lock
  /// belongs to the open file and ends with `close` or with the process: a child that is forked off does not keep it.
  func lock(_ file: FileNumber) throws(DiskError) -> Bool

  /// Gives the lock up, also for processes that were forked since and have the file open, too.
  func unlock(_ file: FileNumber) throws(DiskError)

  /// What an open file is.
  func status(of file: FileNumber) throws(DiskError) -> FileStatus
  /// What is at `path`; nil when nothing is.
  func status(at path: String) throws(DiskError) -> FileStatus?

  /// The room in the file system that `path` is in.
  func space(at path: String) throws(DiskError) -> FileSystemSpace

  /// Renames `source` to `target` in one step. When `replacing` is false an existing target is
  /// left alone and the call fails with `EEXIST`.
  func rename(_ source: String, to target: String, replacing: Bool) throws(DiskError)
  /// Removes the file at `path`.
  func unlink(_ path: String) throws(DiskError)
  /// Creates a directory and its missing parents; an existing directory is not an error.
  func createDirectory(_ path: String) throws(DiskError)
  /// Removes an empty directory.
  func removeDirectory(_ path: String) throws(DiskError)
  /// The names in a directory, without `.` and `..`, sorted by their UTF-8 bytes.
  func list(_ path: String) throws(DiskError) -> [String]

  /// Identifies this start of the operating system; 0 where the platform does not say.
  var bootID: UInt128 { get }
}

/// An open file's number, valid until it is closed.
package struct FileNumber: Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }
}

/// How a file is opened. Files are created with permissions 0600: logs are private.
package enum FileAccess: Sendable {
  /// An existing file, for reading.
  case read
  /// An existing file, for reading and writing.
  case readWrite
  /// A new file, for reading and writing; fails with `EEXIST` when there is one.
  case createNew
  /// The file, created when missing, for reading and writing.
  case createIfMissing
}

/// What the file system says of a file.
package struct FileStatus: Equatable, Sendable {
  /// Names the file for as long as it exists, whatever path it is under.
  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }
  }

  package let identity: Identity
  /// Bytes.
  package let length: Int64
  package let isDirectory: Bool
  /// The number of names that the file has; 0 when it was deleted and is only still open.
  package let linkCount: Int

  package init(identity: Identity, length: Int64, isDirectory: Bool, linkCount: Int) {
    self.identity = identity
    self.length = length
    self.isDirectory = isDirectory
    self.linkCount = linkCount
  }
}

/// The room in a file system.
package struct FileSystemSpace: Equatable, Sendable {
  /// Bytes that this process can still write.
  package let available: Int64
  /// Bytes in all.
  package let total: Int64

  package init(available: Int64, total: Int64) {
    self.available = available
    self.total = total
  }
}
