#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// The few error numbers that the code above the door reacts to, so that it needs no libc of its own.
extension DiskError {
  package static let noSuchFile: Int32 = ENOENT
  package static let fileExists: Int32 = EEXIST
  package static let directoryNotEmpty: Int32 = ENOTEMPTY
  package static let notADirectory: Int32 = ENOTDIR
  package static let isADirectory: Int32 = EISDIR
  package static let noSuchDevice: Int32 = ENODEV
  package static let noSpace: Int32 = ENOSPC
  package static let inputOutput: Int32 = EIO
  package static let badFile: Int32 = EBADF
  package static let fileTooLarge: Int32 = EFBIG
  package static let noLocks: Int32 = ENOLCK

  /// Nothing is at the path, or it runs through something that is no directory.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }
  /// There is no space, or none for this user.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT }
  /// It is not allowed, or not a thing that this can be done with.
  package var isRefused: Bool {
    code == EACCES || code == EPERM || code == EROFS || code == EINVAL || code == ENOTSUP
  }
  /// Something is at the path already.
  package var isAlreadyThere: Bool { code == EEXIST }
}

extension DiskError: CustomStringConvertible {
  /// Such as `write of /logs/1.jseg failed: No space left on device (28)`.
  public var description: String {
    "\(call) of \(path) failed: \(unsafe String(cString: strerror(code))) (\(code))"
  }
}
