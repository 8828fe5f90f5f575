/// Takes paths apart and puts them together; `/` separates.
package enum FilePath {
  /// `name` inside `directory`.
  package static func join(_ directory: String, _ name: String) -> String {
    directory.isEmpty ? name : directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }

  /// The directory that `path` is in; nil for a root and for a bare name.
  package static func parent(of path: String) -> String? {
    var rest = Substring(path)
    while rest.count > 1 && rest.last == "/" { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/"), rest != "/" else { return nil }
    return slash == rest.startIndex ? "/" : String(rest[..<slash])
  }

  /// The last component of `path`.
  package static func name(of path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }
}
