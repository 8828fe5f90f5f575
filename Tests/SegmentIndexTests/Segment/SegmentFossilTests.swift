import Foundation
import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Segments and manifests of every shape, made once and read the same way for ever.
@Suite struct SegmentFossilTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/v1")
  private static let verdictSuffix = ".txt"

  private static var committed: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return names.filter { $0.hasSuffix(".pseg") || $0.hasSuffix(".pmf") }.sorted()
  }

  @Test(arguments: committed) func aFossilIsReadAsItAlwaysWas(fossil: String) throws {
    let bytes = Array(try Data(contentsOf: Self.root.appending(path: fossil)))
    let verdict = Self.root.appending(path: fossil + Self.verdictSuffix)
    #expect(try Self.verdict(on: bytes, fossil) == String(contentsOf: verdict, encoding: .utf8))
  }

  @Test func everyShapeIsCommitted() throws {
    if ProcessInfo.processInfo.environment["PERISCOPE_MAKE_FIXTURES"] != nil {
      try FileManager.default.createDirectory(at: Self.root, withIntermediateDirectories: true)
      for (name, make) in Self.shapes where !Self.committed.contains(name) {
        let bytes = try make()
        try Data(bytes).write(to: Self.root.appending(path: name))
        try Self.verdict(on: bytes, name).write(
          to: Self.root.appending(path: name + Self.verdictSuffix), atomically: true,
          encoding: .utf8)
      }
    }
    #expect(Self.committed == Self.shapes.keys.sorted())
  }

  // MARK: - Shapes

  private static let shapes: [String: @Sendable () throws -> [UInt8]] = [
    "one-record.pseg": { try segment([RandomRecords.plain]) },
    "every-field.pseg": {
      var full = RandomRecords.full
      full.attachments = Array(
        #"{"count":1,"items":[{"name":"a","type":"text/plain","text":"x"}]}"#.utf8)
      return try segment([RandomRecords.plain, full])
    },
    "random.pseg": {
      var records = RandomRecords(seed: 77)
      return try segment(records.smallRecords(300))
    },
    "patterns.pseg": { try segment(patterned(count: 4_500)) },
    "packed.pseg": {
      let bytes = try segment(patterned(count: 300))
      return try #require(Segment.packed(bytes))
    },
    "empty.pmf": {
      var manifest = Manifest()
      manifest.generation = 1
      return manifest.encoded()
    },
    "everything.pmf": { everything.encoded() },
  ]

  private static func segment(_ records: [Record]) throws -> [UInt8] {
    var builder = SegmentBuilder(id: UniqueID(bits: 0xf055_11))
    builder.add(
      SessionInfo(id: UniqueID(bits: 3), start: -5, app: "Shop 1", os: "Linux 6", device: "box"))
    builder.add(SegmentSource(journal: 0x33, firstSequence: 7, lastSequence: 70))
    builder.add(parent: UniqueID(bits: 9))
    for record in records { builder.append(record) }
    return try builder.finish()
  }

  /// Records as programs log them, over more than one granule if there are enough.
  private static func patterned(count: Int) -> [Record] {
    (1...UInt64(count)).map { sequence in
      var record = RandomRecords.plain
      let number = Int64(sequence * 7919 % 1013)
      record.sequence = sequence
      record.id = UniqueID(session: record.session, sequence: sequence)
      record.time += Int64(sequence) * 1_000_000 + number
      record.level = number % 9 == 0 ? .error : .info
      record.message = "request \(number) took \(Double(number) / 8) ms"
      record.payload = Array(#"{"bytes":\#(number * 17),"host":"10.0.0.\#(number % 256)"}"#.utf8)
      record.tags = [
        LogTag("user", .string("u\(number)")), LogTag("load", .double(Double(number) / 100)),
      ]
      if number % 3 == 0 { record.scopes = ["App/Net", "App"] }
      if number % 5 == 0 { record.duration = number * 1_000 }
      return record
    }
  }

  private static var everything: Manifest {
    var manifest = Manifest()
    manifest.generation = 41
    manifest.previousChecksum = 7
    manifest.segments = (1...3).map {
      Manifest.Entry(
        id: UniqueID(bits: $0), length: 4096, checksum: 5, rowCount: 100, timeRange: -1...Int64.max)
    }
    manifest.compactedUpTo = [4: 101, .max: 0]
    manifest.gaps = Gap.Cause.allCases.enumerated().map { index, cause in
      Gap(
        file: "journals/\(index)", offset: Int64(index), cause: cause,
        missing: index % 2 == 0 ? nil : 3, timeRange: index % 3 == 0 ? nil : -7...7)
    }
    manifest.removed = [UniqueID(bits: 8), UniqueID(bits: 9)]
    return manifest
  }

  // MARK: - Verdicts

  /// What is read of a file, as text that only changes when the meaning of the bytes does.
  private static func verdict(on bytes: [UInt8], _ name: String) throws -> String {
    var lines: [String] = []
    if name.hasSuffix(".pmf") {
      let manifest = try Manifest(bytes.rawSpan)
      lines.append("generation \(manifest.generation) after \(manifest.previousChecksum)")
      for entry in manifest.segments {
        lines.append(
          "segment \(entry.id) \(entry.length) \(entry.checksum) \(entry.rowCount) \(entry.timeRange)"
        )
      }
      for (journal, sequence) in manifest.compactedUpTo.sorted(by: { $0.key < $1.key }) {
        lines.append("journal \(journal) up to \(sequence)")
      }
      for gap in manifest.gaps {
        let missing = gap.missing.map { "\($0)" } ?? "unknown"
        let times = gap.timeRange.map { "\($0)" } ?? "unknown"
        lines.append("gap \(gap.file) \(gap.offset) \(gap.cause.rawValue) \(missing) \(times)")
      }
      for id in manifest.removed { lines.append("removed \(id)") }
      return lines.joined(separator: "\n") + "\n"
    }
    let segment = try Segment(bytes: bytes, name: name)
    #expect(segment.verify().isEmpty)
    lines.append("segment \(segment.id) of \(segment.rowCount) records")
    for session in segment.sessions {
      lines.append(
        "session \(session.id) \(session.start) \(session.app) \(session.os) \(session.device)")
    }
    for source in segment.sources {
      lines.append("source \(source.journal) \(source.firstSequence) \(source.lastSequence)")
    }
    for parent in segment.parents { lines.append("parent \(parent)") }
    // The digest covers every field; the rest is for people.
    let records = try segment.records().map { record in
      let digest = String(SegmentBuilder.digest(of: record), radix: 16)
      return "\(digest) \(record.time) \(record.sequence) \(record.tags.count) tags"
    }
    let shown = 300
    lines += records.prefix(shown)
    if records.count > shown {
      let rest = Array(records.dropFirst(shown).joined(separator: "\n").utf8)
      lines.append("\(records.count - shown) others: \(CRC32C.checksum(rest.rawSpan))")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
