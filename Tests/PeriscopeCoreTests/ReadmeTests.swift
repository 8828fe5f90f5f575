import Foundation
import PeriscopeCore
import TestSupport
import Testing

@Suite struct ReadmeTests {
  /// The example of the README, to the letter.
  @Test func theExampleWorks() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    // begin
    let store = try PeriscopeStore.make(storage: .directory(path), session: .current(app: "Shop"))
    let log = store.log("Shop")
    log("Payments").tagged("user", 42).error("card declined")
    let result = try store.query("under Shop level >= error tag.user = 42 last 1h")
    for record in result.records { print(record.message) }
    // end
    #expect(result.records.map(\.message) == ["card declined"])
    #expect(try example(in: #filePath, from: "// begin", to: "// end") == readmeExample())
  }

  private func readmeExample() throws -> [String] {
    let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "README.md")
    return try example(in: readme.path, from: "```swift", to: "```")
  }

  /// The lines between the first line `from` and the next line `to`, without their indentation.
  private func example(in file: String, from: String, to: String) throws -> [String] {
    let lines = try String(contentsOfFile: file, encoding: .utf8)
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let start = try #require(lines.firstIndex(of: from))
    return lines[(start + 1)...].prefix { $0 != to }.filter { !$0.isEmpty }
  }
}
