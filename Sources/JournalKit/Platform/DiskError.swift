/// A file-system call that the operating system refused.
///
/// `code` is the platform's `errno`; `call` and `path` say what was asked. A `DiskError` never
/// describes damaged content, only a call that failed.
public struct DiskError: Error, Equatable, Sendable {
  /// The calls that can fail.
  public enum Call: String, Sendable, CaseIterable {
    case open, close, read, write, truncate, sync, syncDirectory, rename, unlink, createDirectory
    case removeDirectory, list, lock, map, allocate, status
  }

  /// The call that failed.
  public let call: Call
  /// The file or directory that the call was about.
  public let path: String
  /// The platform's error number.
  public let code: Int32

  /// Describes a failed call.
  public init(call: Call, path: String, code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }
}
