extension String {
  /// Whether both texts are the same bytes of UTF-8, as keys and paths are compared everywhere in a store.
  ///
  /// `==` also finds those equal that only look alike: `é` as one scalar, and as a letter with its accent.
  func isIdentical(to other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
