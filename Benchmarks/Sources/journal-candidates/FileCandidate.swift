import AppendHarness

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One file, and one write for each entry, with nothing around it.
enum FileCandidate: Candidate {
  static let names = ["file", "file+sync"]

  static func open(_ name: String, directory: String) throws -> any Appender {
    FileAppender(path(directory), syncs: name == "file+sync")
  }

  static func recover(
    _ name: String, directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    PlainFrame.read(path(directory), body)
    return 0
  }

  private static func path(_ directory: String) -> String { directory + "/log" }
}

private final class FileAppender: Appender {
  private let file: Int32
  private let syncs: Bool
  private let turn = Lock(())

  init(_ path: String, syncs: Bool) {
    file = openFile(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard file >= 0 else { fatalError("cannot create \(path)") }
    self.syncs = syncs
  }

  func append(_ payload: [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: PlainFrame.length, alignment: 8) { frame in
      PlainFrame.fill(frame, payload)
      turn.withLock { _ in
        guard write(file, frame.baseAddress, frame.count) == frame.count else {
          fatalError("write")
        }
        if syncs && fdatasync(file) != 0 { fatalError("fdatasync") }
      }
    }
  }

  func close() { closeFile(file) }
}

// The calls whose names the methods above share.

func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

func closeFile(_ file: Int32) { close(file) }
