import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Learns of the signals with which others ask the process to end or to go on, and lets them do what they do.
///
/// A signal handler may do next to nothing: this one notes the signal and wakes a thread, which tells whoever watches. A
/// handler that was there before runs first. Where there was none, and the signal ends the process, it does so once
/// everybody was told; a second one does so at once. A signal that is ignored is left alone.
package final class SignalWatch: Sendable {
  package enum Signal: String, Sendable, CaseIterable {
    case terminate = "SIGTERM"
    case interrupt = "SIGINT"
    case hangUp = "SIGHUP"
    case quit = "SIGQUIT"
    /// The process was stopped, and goes on.
    case goOn = "SIGCONT"

    package var number: Int32 {
      switch self {
      case .terminate: SIGTERM
      case .interrupt: SIGINT
      case .hangUp: SIGHUP
      case .quit: SIGQUIT
      case .goOn: SIGCONT
      }
    }
  }

  private let number: Int

  /// Begins to call `body`, on a thread of its own, for each signal. Throws when the system has no room for what that takes.
  package init(_ body: @escaping @Sendable (Signal) -> Void) throws(DiskError) {
    number = try SignalDoor.add(body)
  }

  deinit { end() }

  /// Calls nobody any more. Does nothing the second time. The handlers stay: others may have put theirs in front of them.
  package func end() {
    SignalDoor.remove(number)
  }
}

/// What all watches of the process have in common, for a signal has one handler.
private enum SignalDoor {
  private struct State {
    var watches: [Int: @Sendable (SignalWatch.Signal) -> Void] = [:]
    var lastNumber = 0
    var thread: BackgroundThread?
  }

  private static let state = Mutex(State())

  // What the handler touches. All of it is made before there is a handler.

  /// The ends of the pipe that wakes the thread.
  private static let reader = Atomic<Int32>(-1)
  private static let writer = Atomic<Int32>(-1)
  /// A bit for each signal that nobody was told of yet.
  private static let pending = Atomic<UInt64>(0)
  /// A bit for each signal that had no handler before.
  private static let defaults = Atomic<UInt64>(0)
  /// The addresses of the handlers before, as far as they are functions, by signal; kept for ever.
  private static let handlers = Handlers()
  private static let generation = Atomic<UInt32>(0)

  /// `@unchecked` because of the pointer: its memory is written before a handler can read it.
  @safe
  private struct Handlers: @unchecked Sendable {
    let actions: UnsafeMutablePointer<sigaction>

    init() {
      unsafe actions = .allocate(capacity: 65)
      unsafe actions.initialize(repeating: sigaction(), count: 65)
    }
  }

  static func add(
    _ body: @escaping @Sendable (SignalWatch.Signal) -> Void
  ) throws(DiskError) -> Int {
    try state.withLock { state throws(DiskError) in
      if state.thread == nil {
        try openPipe()
        state.thread = BackgroundThread { tell() }
        state.thread?.wake()
        for signal in SignalWatch.Signal.allCases { install(signal.number) }
      }
      state.lastNumber += 1
      state.watches[state.lastNumber] = body
      return state.lastNumber
    }
  }

  static func remove(_ number: Int) {
    state.withLock { $0.watches[number] = nil }
  }

  private static func openPipe() throws(DiskError) {
    var ends: (Int32, Int32) = (-1, -1)
    let code = unsafe withUnsafeMutableBytes(of: &ends) { buffer in
      unsafe pipe(buffer.baseAddress?.assumingMemoryBound(to: Int32.self))
    }
    guard code == 0 else { throw DiskError(call: .open, path: "a pipe", code: errno) }
    for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A handler must never wait.
    _ = fcntl(ends.1, F_SETFL, O_NONBLOCK)
    reader.store(ends.0, ordering: .relaxed)
    writer.store(ends.1, ordering: .relaxed)
    ForkGeneration.watch()
    generation.store(ForkGeneration.current, ordering: .relaxed)
  }

  private static func install(_ number: Int32) {
    let before = unsafe handlers.actions + Int(number)
    guard unsafe sigaction(number, nil, before) == 0 else { return }
    let address = unsafe before.pointee.address
    // Who ignores a signal, such as a program that outlives its terminal, goes on to do so.
    if address == Self.ignored { return }
    if address == 0 { defaults.bitwiseOr(bit(number), ordering: .relaxed) }
    var action = sigaction()
    unsafe action.setHandler { number, info, context in
      unsafe SignalDoor.handle(number, info, context)
    }
    action.sa_flags = Int32(truncatingIfNeeded: Int(SA_SIGINFO) | Int(SA_RESTART) | Int(SA_ONSTACK))
    _ = unsafe sigaction(number, &action, nil)
  }

  private static let ignored: UInt = 1

  private static func bit(_ number: Int32) -> UInt64 { 1 << UInt64(number) }

  // MARK: In the handler

  private static func handle(
    _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
  ) {
    let code = errno
    defer { errno = code }
    unsafe handlers.actions[Int(number)].call(number, info, context)
    let isDefault = defaults.load(ordering: .relaxed) & bit(number) != 0
    // In a forked child there is no thread to be told, and nobody who asked to be.
    let isForked = ForkGeneration.current != generation.load(ordering: .relaxed)
    let known =
      isForked
      ? bit(number) : pending.bitwiseOr(bit(number), ordering: .acquiringAndReleasing).oldValue
    if isDefault && number != SIGCONT && known & bit(number) != 0 { return die(of: number) }
    guard !isForked else { return }
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(writer.load(ordering: .relaxed), &byte, 1)
  }

  /// Lets the signal do what it does without a handler; when a handler runs, once that has returned.
  private static func die(of number: Int32) {
    var action = sigaction()
    action.clearHandler()
    _ = unsafe sigaction(number, &action, nil)
    _ = kill(getpid(), number)
  }

  // MARK: On the thread

  private static func tell() -> Duration? {
    var byte: UInt8 = 0
    let count = unsafe read(reader.load(ordering: .relaxed), &byte, 1)
    guard count > 0 || errno == EINTR else { return nil }
    for signal in SignalWatch.Signal.allCases {
      let bit = bit(signal.number)
      guard pending.load(ordering: .acquiring) & bit != 0 else { continue }
      let isDeadly = signal != .goOn && defaults.load(ordering: .relaxed) & bit != 0
      // One that comes while watches are being told of this one is told, too. Where this one is the end, a second one
      // does not wait for that.
      if !isDeadly { pending.bitwiseAnd(~bit, ordering: .acquiringAndReleasing) }
      let watches = state.withLock { $0.watches.sorted { $0.key < $1.key }.map(\.value) }
      for watch in watches { watch(signal) }
      guard isDeadly else { continue }
      pending.bitwiseAnd(~bit, ordering: .acquiringAndReleasing)
      die(of: signal.number)
    }
    return .zero
  }
}

extension sigaction {
  /// The handler's address; 0 for what the system does by itself, 1 for nothing.
  fileprivate var address: UInt {
    #if canImport(Darwin)
      unsafe unsafeBitCast(__sigaction_u.__sa_handler, to: UInt.self)
    #else
      unsafe unsafeBitCast(__sigaction_handler.sa_handler, to: UInt.self)
    #endif
  }

  fileprivate mutating func clearHandler() {
    #if canImport(Darwin)
      unsafe __sigaction_u.__sa_handler = nil
    #else
      unsafe __sigaction_handler.sa_handler = nil
    #endif
    sa_flags = 0
  }

  fileprivate mutating func setHandler(
    _ body:
      @escaping @convention(c) (
        Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?
      ) -> Void
  ) {
    #if canImport(Darwin)
      unsafe __sigaction_u.__sa_sigaction = body
    #else
      unsafe __sigaction_handler.sa_sigaction = body
    #endif
  }

  /// Runs the handler, if it is a function.
  fileprivate func call(
    _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
  ) {
    guard address > 1 else { return }
    if Int(sa_flags) & Int(SA_SIGINFO) != 0 {
      #if canImport(Darwin)
        unsafe __sigaction_u.__sa_sigaction?(number, info, context)
      #else
        unsafe __sigaction_handler.sa_sigaction?(number, info, context)
      #endif
    } else {
      #if canImport(Darwin)
        unsafe __sigaction_u.__sa_handler?(number)
      #else
        unsafe __sigaction_handler.sa_handler?(number)
      #endif
    }
  }
}
