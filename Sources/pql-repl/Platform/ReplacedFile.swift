/// Whether there is something at the path.
func fileExists(_ path: String) -> Bool {
  unsafe access(path, F_OK) == 0
}

/// Makes the file at `path` one of these bytes: it has either what it had before or all of them.
func replaceFile(_ path: String, with bytes: [UInt8]) throws(CommandFailure) {
  let new = path + ".new"
  let descriptor = unsafe open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw failure(new) }
  let isWritten = writeAll(bytes, to: descriptor)
  guard close(descriptor) == 0, isWritten, unsafe rename(new, path) == 0 else {
    let failure = failure(path)
    unsafe _ = unlink(new)
    throw failure
  }
}

private func failure(_ path: String) -> CommandFailure {
  let reason = unsafe String(cString: strerror(errno))
  return CommandFailure("\(path): \(reason)", .unavailable)
}
