#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import Synchronization

/// How long the files may be that this process makes: `ulimit -f`.
///
/// The system answers a call that passes the limit with a signal, which ends the program. So there must be no such call: it
/// is an error here, as a full disk is.
enum FileSizeLimit {
  private static let byteCount = Atomic<UInt64>(.max)

  /// Asks the system. That is for whenever a file is opened that may grow, and not for every write.
  static func update() {
    var limit = rlimit()
    guard unsafe getrlimit(fileSizeResource, &limit) == 0 else { return }
    byteCount.store(UInt64(limit.rlim_cur), ordering: .relaxed)
  }

  /// Whether a file must not be `length` bytes long.
  static func isBelow(_ length: Int64) -> Bool {
    length > 0 && UInt64(length) > byteCount.load(ordering: .relaxed)
  }
}

#if canImport(Darwin)
  private let fileSizeResource = RLIMIT_FSIZE
#else
  private let fileSizeResource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#endif
