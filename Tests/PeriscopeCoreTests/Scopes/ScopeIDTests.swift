import PeriscopeCore
import Testing

@Suite struct ScopeIDTests {
  @Test func pathsAreIdentities() {
    let photos = ScopeID(root: "App").child("Photos")
    #expect(photos.path == "App/Photos")
    #expect(photos.name == "Photos")
    #expect(photos == ScopeID(root: "App").child("Photos"))
    #expect(ScopeID(root: "App").name == "App")
  }

  @Test func theLastNameIsFoundByBytes() {
    let root = ScopeID(root: "App")
    #expect(root.name == "App" && root.child("a/b").name == "a%2Fb")
    // The slash and the mark are one character.
    #expect(Array(root.child("\u{301}x").name.unicodeScalars) == ["\u{301}", "x"])
  }

  /// Different names never make the same path, whatever is in them.
  @Test func anyTextCanBeAName() {
    let names = [
      "", "%", "/", "a/b", "a%2Fb", "a", "a/", "%2F", "é/\u{301}", "\0", "caf\u{e9}", "cafe\u{301}",
    ]
    let root = ScopeID(root: "r")
    #expect(Set(names.map(root.child)).count == names.count)
    let paths = names.map { root.child($0).path }
    #expect(root.child("a/b").path == "r/a%2Fb")
    #expect(paths.allSatisfy { $0.utf8.count { $0 == UInt8(ascii: "/") } == 1 })
  }
}
