// Reading and writing of open files, and what a terminal is.

/// Writes all of `bytes`; false when that is impossible.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  unsafe bytes.withUnsafeBytes { buffer in
    var written = 0
    while written < buffer.count {
      let part = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
      let count = unsafe write(descriptor, part.baseAddress, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}

/// Whether the descriptor is a terminal.
func isTerminal(_ descriptor: Int32) -> Bool {
  isatty(descriptor) == 1
}

/// The value of an environment variable.
func environmentVariable(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// The columns of the terminal: what it says itself, else what `COLUMNS` says, else 80; never 0.
func terminalWidth(_ descriptor: Int32) -> Int {
  var size = winsize()
  if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
    return Int(size.ws_col)
  }
  if let columns = environmentVariable("COLUMNS").flatMap({ Int($0) }), columns > 0 {
    return columns
  }
  return 80
}

/// A reader that goes away, as `head` does, ends the program quietly.
func endQuietlyWhenOutputCloses() {
  signal(SIGPIPE) { _ in _exit(0) }
}

/// Nanoseconds since 1970.
func currentTime() -> Int64 {
  time(of: CLOCK_REALTIME)
}

/// Nanoseconds since some beginning, by a clock that nobody sets.
func monotonicTime() -> Int64 {
  time(of: CLOCK_MONOTONIC)
}

private func time(of clock: clockid_t) -> Int64 {
  var now = timespec()
  unsafe clock_gettime(clock, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Ends the program with exit code 5 after some time, whatever it is doing.
func endAfter(nanoseconds: Int64) {
  signal(SIGALRM) { _ in
    // Only what a signal handler may do.
    let message: StaticString = "pql-repl: the time is up\n"
    unsafe _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    _exit(5)
  }
  var timer = itimerval()
  timer.it_value.tv_sec = time_t(nanoseconds / 1_000_000_000)
  // A timer of zero would never ring.
  timer.it_value.tv_usec = suseconds_t(max(1, nanoseconds % 1_000_000_000 / 1_000))
  unsafe setitimer(__itimer_which_t(0), &timer, nil)
}

/// Lets other processes run for a while.
func pause(milliseconds: Int) {
  var time = timespec(
    tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
  unsafe nanosleep(&time, nil)
}

/// Ends the program.
func end(_ code: ExitCode) -> Never {
  exit(code.rawValue)
}
