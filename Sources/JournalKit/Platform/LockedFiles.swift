import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The files that this process has locked: a child that is forked off lets go of them at once.
///
/// A lock is of the open file, which a child has, too. It would hold what its parent has locked, and as long as it lives
/// nobody could tell that the parent is dead. The numbers stay taken in the child, by a file that means nothing: so what it
/// has of its parent's objects may unlock and close them.
///
/// A child that was made in another way than by the C library's `fork` keeps them, and so may one that is forked in the
/// instant in which a file is closed.
enum LockedFiles {
  /// Files with higher numbers are not looked after: hardly any program is allowed to have as many.
  private static let numberLimit = 4_096
  /// A bit for each number. Never freed, and only reached by way of atomics.
  nonisolated(unsafe) private static let words: UnsafeMutablePointer<Atomic<UInt64>> = {
    let count = numberLimit / UInt64.bitWidth
    let words = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: count)
    for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
    return unsafe words
  }()
  /// What a child gets in the place of a locked file; -1 if there is none to be had.
  private static let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
  private static let isWatching: Bool = {
    // What runs in the child may only do what a signal handler may: what it needs is made before.
    unsafe nothing >= 0 && words[0].load(ordering: .relaxed) == 0
      && pthread_atfork(nil, nil, { LockedFiles.letGo() }) == 0
  }()

  /// Notes that `file` is locked, or about to be.
  static func insert(_ file: FileNumber) {
    guard isWatching, let (word, bit) = place(of: file) else { return }
    unsafe words[word].bitwiseOr(bit, ordering: .relaxed)
  }

  /// Notes that `file` is not locked, or about to be closed.
  static func remove(_ file: FileNumber) {
    guard let (word, bit) = place(of: file),
      unsafe words[word].load(ordering: .relaxed) & bit != 0
    else { return }
    unsafe words[word].bitwiseAnd(~bit, ordering: .relaxed)
  }

  private static func place(of file: FileNumber) -> (word: Int, bit: UInt64)? {
    guard 0..<numberLimit ~= Int(file.rawValue) else { return nil }
    return (Int(file.rawValue) / UInt64.bitWidth, 1 << UInt64(Int(file.rawValue) % UInt64.bitWidth))
  }

  /// Runs in a forked child.
  private static func letGo() {
    for word in 0..<numberLimit / UInt64.bitWidth {
      var bits = unsafe words[word].exchange(0, ordering: .relaxed)
      while bits != 0 {
        let number = Int32(word * UInt64.bitWidth + bits.trailingZeroBitCount)
        if dup2(nothing, number) == number { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        bits &= bits &- 1
      }
    }
  }
}
