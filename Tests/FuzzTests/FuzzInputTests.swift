import Foundation
import FuzzTargets
import TestSupport
import Testing

/// The committed inputs of every fuzz target, and mutations of them.
///
/// `PERISCOPE_FUZZ_ROUNDS` is the number of mutations per target, and `PERISCOPE_FUZZ_SEED` the seed of the first.
@Suite struct FuzzInputTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let targets = FuzzTarget.all.map(\.name)

  private func target(_ name: String) throws -> FuzzTarget {
    try #require(FuzzTarget.all.first { $0.name == name })
  }

  /// The inputs in `folder` of the package `Fuzz` for the target `name`, in the order of their names.
  private func inputs(_ folder: String, _ name: String) throws -> [(file: String, bytes: [UInt8])] {
    let directory = Self.root.appending(path: "Fuzz/\(folder)/\(name)").path
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return try files.sorted().map { file in
      let url = URL(filePath: directory).appending(path: file)
      return ("\(folder)/\(name)/\(file)", Array(try Data(contentsOf: url)))
    }
  }

  private func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
  }

  @Test(arguments: targets) func committedInputsAreHarmless(name: String) throws {
    let target = try target(name)
    for (file, bytes) in try inputs("Corpus", name) + inputs("Crashes", name) {
      #expect(throws: Never.self, "\(file)") { try target.check(bytes) }
    }
  }

  @Test(arguments: targets) func mutationsAreHarmless(name: String) throws {
    let target = try target(name)
    let corpus = try inputs("Corpus", name).map(\.bytes)
    let first = number("PERISCOPE_FUZZ_SEED") ?? 1
    for seed in first..<first + (number("PERISCOPE_FUZZ_ROUNDS") ?? 30) {
      var mutation = Mutation(of: corpus, seed: seed)
      let bytes = mutation.next()
      #expect(throws: Never.self, "\(name), seed \(seed)") { try target.check(bytes) }
    }
  }

  /// Without a target that fails nobody would know whether any can.
  @Test func theCanaryBreaks() throws {
    #expect(throws: FuzzFailure.self) { try target("canary").check(Array("bird".utf8)) }
  }
}
