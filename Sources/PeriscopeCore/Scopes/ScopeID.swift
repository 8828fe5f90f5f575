import PQL

/// A place in the scope tree, such as `App/Photos/album-7`.
///
/// The path *is* the identity: the same path is the same scope in every process and at every launch,
/// and a record that names its scopes can be read without anything else.
public struct ScopeID: Hashable, Sendable {
  /// The names from the root down, joined by `/`.
  public let path: String

  /// A root scope.
  public init(root name: String) {
    path = Self.component(name)
  }

  init(path: String) {
    self.path = path
  }

  /// Whether both are the same path, byte for byte.
  public static func == (left: ScopeID, right: ScopeID) -> Bool {
    left.path.isSameText(as: right.path)
  }

  /// The scope called `name` directly below this one.
  public func child(_ name: String) -> ScopeID {
    ScopeID(path: path + "/" + Self.component(name))
  }

  /// The last name of the path.
  public var name: Substring {
    // By bytes: a name may begin with a mark that joins the slash before it to one character.
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    return path[(slash.map(path.utf8.index(after:)) ?? path.startIndex)...]
  }

  /// A name as it stands in a path: names are any text, so `/` and `%` are percent-encoded, and an empty
  /// name, which would vanish between two slashes, becomes a lone `%`.
  private static func component(_ name: String) -> String {
    if name.isEmpty { return "%" }
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") })
    else { return name }
    return name.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "/": text += "%2F"
      case "%": text += "%25"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension ScopeID: CustomStringConvertible {
  /// The path.
  public var description: String { path }
}
