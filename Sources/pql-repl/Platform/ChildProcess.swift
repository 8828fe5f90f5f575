/// A process of this very program, started with other arguments. Its standard output is a pipe that
/// the parent reads.
struct ChildProcess: ~Copyable {
  let identifier: Int32
  private let output: Int32

  /// Starts the program with `arguments`.
  init(arguments: [String]) throws(CommandFailure) {
    (identifier, output) = try ChildProcess.spawn(arguments)
  }

  private static func spawn(
    _ arguments: [String]
  ) throws(CommandFailure) -> (identifier: Int32, output: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw failure("pipe", errno) }
    defer { _ = close(ends[1]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[0])

    let path = executablePath
    var vector = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe vector.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let code = unsafe posix_spawn(&child, path, &actions, nil, &vector, environ)
    guard code == 0 else {
      _ = close(ends[0])
      throw failure("cannot start \(path)", code)
    }
    return (child, ends[0])
  }

  deinit {
    _ = close(output)
  }

  /// Reads the child's next line; nil when it has closed its output. A byte at a time, so that
  /// nothing is taken that the caller has not asked for.
  func readLine() -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(output, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }

  /// Kills the child with SIGKILL, which no process can see coming, and waits for its end. True if
  /// that is what ended it.
  func killAndWait() -> Bool {
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == SIGKILL
  }

  private static func failure(_ what: String, _ code: Int32) -> CommandFailure {
    CommandFailure("\(what): \(unsafe String(cString: strerror(code)))", .unavailable)
  }

  /// Where this program's file is.
  private static var executablePath: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      CommandLine.arguments[0]
    #endif
  }
}
