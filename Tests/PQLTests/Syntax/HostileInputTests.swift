import Foundation
import FuzzTargets
import PQL
import TestSupport
import Testing

/// Any bytes give a query that reads back, or diagnostics that point into the text: the property of the fuzz
/// target `query`, on input made by chance.
@Suite struct HostileInputTests {
  private func check(_ bytes: [UInt8], _ comment: Comment) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == "query" })
    do {
      try target.check(bytes)
    } catch {
      Issue.record("\(error): \(comment)")
    }
  }

  /// The words that a fuzzer puts in are those of the tables.
  @Test func dictionaryIsComplete() throws {
    let words =
      PQL.reservedWords + PQL.stages.map(\.name) + ["by", "every", "back", "depth"]
      + PQL.fields.map(\.name) + PQL.functions.map { "\($0.name)(" }
      + ["true", "false", "now", "today", "yesterday", "current", "previous"]
      + ["!=", "<=", ">=", "!~", "!:", "==", "=", "<", ">", "~", ":", "&&", "||", "=~", "--", "<>"]
      + [
        "|", "(", ")", "[", "]", ",", "*", "-", "+", "/", "#", "$p", "'", "\\\"", "\\\\",
        "\\\\u{1b}",
      ]
      + ["1ns", "1us", "1ms", "1s", "1m", "1h", "1d", "1w", "1B", "1KB", "1KiB", "1.5", "1e9"]
      + ["2026-09-01T10:00Z", "tag.", "payload.", "session.", "[0]", "(?i)", "\\xc3\\xa9", "\\xff"]
    let text = words.map { "\"\($0)\"\n" }.joined()
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzz/Dictionaries/query.dict")
    guard !GoldenFile.isUpdating else {
      return try text.write(to: url, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: url, encoding: .utf8) == text)
  }

  /// A search that begins with nothing finds nothing for a long time.
  @Test func theCorpusHasTheExamples() throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzz/Corpus/query")
    let files = try FileManager.default.contentsOfDirectory(atPath: url.path)
    let inputs = try Set(files.map { try Data(contentsOf: url.appending(path: $0)) })
    for example in QueryExamples.accepted + QueryExamples.rejected {
      #expect(inputs.contains(Data(example.utf8)), "\(example)")
    }
  }

  @Test func randomBytes() throws {
    for seed in 0..<3_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let bytes = random.bytes(Int.random(in: 0...40, using: &random))
      try check(bytes, "seed \(seed)")
    }
  }

  @Test func randomWords() throws {
    for seed in 0..<6_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var text = ""
      for _ in 0..<Int.random(in: 1...10, using: &random) {
        text += QueryExamples.vocabulary.randomElement(using: &random) ?? ""
        text += ["", " ", " ", " "].randomElement(using: &random) ?? ""
      }
      try check(Array(text.utf8), "seed \(seed): \(text)")
    }
  }

  @Test func mutatedQueries() throws {
    for seed in 0..<4_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var bytes = Array((QueryExamples.accepted.randomElement(using: &random) ?? "").utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: position)
        case 1: bytes[position] = UInt8.random(in: 0x20...0x7e, using: &random)
        case 2:
          bytes.insert(
            contentsOf: "()|\"'=- ".utf8.randomElement(using: &random).map { [$0] } ?? [],
            at: position)
        default:
          bytes.insert(contentsOf: bytes[position..<min(bytes.count, position + 8)], at: position)
        }
        if bytes.isEmpty { bytes = [0x20] }
      }
      try check(bytes, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    }
  }
}
