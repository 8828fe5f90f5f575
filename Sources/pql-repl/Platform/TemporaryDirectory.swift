/// Makes a new directory for temporary files, with `prefix` in its name, and returns its path.
func makeTemporaryDirectory(prefix: String) throws(CommandFailure) -> String {
  let parent = environmentVariable("TMPDIR") ?? "/tmp"
  var template = Array("\(parent)/\(prefix).XXXXXX".utf8CString)
  guard unsafe mkdtemp(&template) != nil else {
    let reason = unsafe String(cString: strerror(errno))
    throw CommandFailure("cannot make a directory in \(parent): \(reason)", .unavailable)
  }
  return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}
