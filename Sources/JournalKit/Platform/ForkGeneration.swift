import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tells a process from the one that it was forked off, at the price of one load.
///
/// Asking for the process's number is a system call. A child that was made in another way than by the C library's
/// `fork` is not noticed.
enum ForkGeneration {
  private static let count = Atomic<UInt32>(0)

  /// Another number in a forked child than in its parent, if that called `watch` before.
  static var current: UInt32 {
    @inline(__always) get { count.load(ordering: .relaxed) }
  }

  /// Begins to count forks.
  static func watch() {
    precondition(isWatching, "the operating system has no room to note what a fork must do")
  }

  private static let isWatching: Bool = {
    // What runs in the child may only do what a signal handler may.
    pthread_atfork(nil, nil, { ForkGeneration.count.add(1, ordering: .relaxed) }) == 0
  }()
}
