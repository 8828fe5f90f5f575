import JournalKit
import TestSupport

extension PeriscopeStoreTests.Machine {
  private struct NotFound: Error {
    let text: String
  }

  /// Where a text stands in the store's journals.
  func place(of text: String) throws -> (path: String, offset: Int) {
    let needle = Array(text.utf8)
    let journals = "/store/journals"
    for journal in try disk.list(journals) {
      let directory = FilePath.join(journals, journal)
      for file in try disk.list(directory) {
        let path = FilePath.join(directory, file)
        let bytes = disk.content(of: path) ?? []
        if let range = bytes.firstRange(of: needle) { return (path, range.lowerBound) }
      }
    }
    throw NotFound(text: text)
  }
}
