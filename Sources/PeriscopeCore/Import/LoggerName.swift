/// The scope path of what a logger calls itself: the parts of a hierarchical name become the
/// path's, so that `under org/apache` finds everything that `org.apache.…` logged.
///
/// - A name with a slash is a path already; empty parts are left out.
/// - Else a name is split at `::`, or at its dots, if every part is an identifier, which begins
///   with a letter or an underscore and goes on with letters, digits and `_ $ -`: `hyper::client`
///   becomes `hyper/client` and `dfs.DataNode$PacketResponder` becomes
///   `dfs/DataNode$PacketResponder`, while `10.0.0.1`, `v1.2` and `3888:QuorumCnxManager` stay
///   whole.
///
/// Nil when nothing is left, or when the name is longer than 512 bytes, which no name is.
func scopePath(ofLogger name: String) -> String? {
  guard (1...512).contains(name.utf8.count) else { return nil }
  if name.utf8.contains(UInt8(ascii: "/")) {
    let parts = name.split(separator: "/")
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }
  for separator in ["::", "."] where name.contains(separator) {
    let parts = name.split(separator: separator, omittingEmptySubsequences: false)
    if parts.allSatisfy(isIdentifier) { return parts.joined(separator: "/") }
  }
  return name
}

private func isIdentifier(_ text: Substring) -> Bool {
  for (index, byte) in text.utf8.enumerated() {
    switch byte {
    // Bytes from 0x80 on are letters of other alphabets.
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "_"), 0x80...:
      continue
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "$"), UInt8(ascii: "-"):
      if index == 0 { return false }
    default:
      return false
    }
  }
  return !text.isEmpty
}
