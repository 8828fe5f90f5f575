/// Where things are in a store's directory.
package struct StoreDirectory: Sendable {
  package let path: String

  package init(_ path: String) {
    self.path = path
  }

  /// Holds one directory per journal, named by its session.
  package var journals: String { path + "/journals" }

  package func journal(_ name: String) -> String { journals + "/" + name }
}
