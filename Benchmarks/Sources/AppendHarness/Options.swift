#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the command line asks for: `DIR VARIANT THREADS COUNT [PACE | kill ROUNDS]`.
package struct Options: Sendable {
  package enum Mode: Sendable {
    /// Appends a second over all threads; 0 is as fast as they can.
    case measure(pace: Int)
    case kill(rounds: Int)
    /// A writer that dies after `delay` milliseconds, and until then counts in the file `counters`.
    case child(delay: Int, counters: String)
    /// Something that only one program knows.
    case other(String)
  }

  package let directory: String
  package let variant: String
  package let threads: Int
  package let count: Int
  package let mode: Mode

  package init(directory: String, variant: String, threads: Int, count: Int, mode: Mode) {
    self.directory = directory
    self.variant = variant
    self.threads = threads
    self.count = count
    self.mode = mode
  }

  /// Nil when `arguments` are not of that form, or not for one of `variants`.
  package init?(_ arguments: [String], variants: [String]) {
    guard arguments.count >= 5, variants.contains(arguments[2]),
      let threads = Int(arguments[3]), threads > 0, threads <= 64,
      let count = Int(arguments[4]), count >= threads
    else { return nil }
    let mode: Mode
    switch arguments.count {
    case 5: mode = .measure(pace: 0)
    case 6:
      if let pace = Int(arguments[5]) {
        guard pace >= 0 else { return nil }
        mode = .measure(pace: pace)
      } else {
        mode = .other(arguments[5])
      }
    case 7 where arguments[5] == "kill":
      guard let rounds = Int(arguments[6]), rounds > 0 else { return nil }
      mode = .kill(rounds: rounds)
    case 8 where arguments[5] == "child":
      guard let delay = Int(arguments[6]) else { return nil }
      mode = .child(delay: delay, counters: arguments[7])
    default: return nil
    }
    self.init(
      directory: arguments[1], variant: arguments[2], threads: threads, count: count, mode: mode)
  }

  package var appendsPerThread: Int { count / threads }

  /// Where the log is: a directory that nobody else keeps anything in.
  package var logDirectory: String { directory + "/periscope" }

  /// Makes sure that `logDirectory` exists and is empty.
  package func clear() {
    remove()
    guard mkdir(logDirectory, 0o700) == 0 else { fatalError("cannot make \(logDirectory)") }
  }

  /// Removes the log.
  package func remove() {
    mkdir(directory, 0o700)
    guard let stream = opendir(logDirectory) else { return }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      unlink(logDirectory + "/" + name)
    }
    closedir(stream)
    rmdir(logDirectory)
  }
}
