/// A file that is read from front to back, in pieces.
struct InputFile: ~Copyable {
  /// Bytes, if the file has a size.
  let length: Int?
  private let descriptor: Int32
  private let path: String
  private let ownsDescriptor: Bool

  /// Opens a file; `-` is the standard input.
  init(path: String) throws(CommandFailure) {
    self.path = path
    ownsDescriptor = path != "-"
    descriptor = ownsDescriptor ? unsafe open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
    guard descriptor >= 0 else { throw InputFile.failure(path) }
    var status = stat()
    let isRegular =
      unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    length = isRegular ? Int(status.st_size) : nil
  }

  deinit {
    if ownsDescriptor { _ = close(descriptor) }
  }

  /// Hands the whole file to `body`, piece by piece. A piece and its copies fit the fast caches of a processor.
  func forEachChunk<E>(
    size: Int = 1 << 16, _ body: (RawSpan) throws(E) -> Void
  ) throws(E) -> CommandFailure? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while true {
      let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? nil : InputFile.failure(path) }
      let chunk = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
      try body(unsafe RawSpan(_unsafeBytes: chunk))
    }
  }

  /// The whole file, if it is no longer than `limit` bytes.
  func contents(limit: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    let failure = try forEachChunk { chunk throws(CommandFailure) in
      guard chunk.byteCount <= limit - bytes.count
      else { throw CommandFailure("\(path) is longer than \(limit) bytes", .unavailable) }
      unsafe chunk.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
    if let failure { throw failure }
    return bytes
  }

  /// What the system says about the last call.
  private static func failure(_ path: String) -> CommandFailure {
    let reason = unsafe String(cString: strerror(errno))
    return CommandFailure("\(path): \(reason)", .unavailable)
  }
}
