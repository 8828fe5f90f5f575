import JournalKit
import TestSupport

/// The journals in `Tests/Fixtures/journal-v1`, as they were made: one of each state, for each way to write.
///
/// What is committed there must be read the same way for ever, so none of it is ever made again. To add a state, add it
/// here and run the tests once with `PERISCOPE_MAKE_FIXTURES=1`: that makes the directories that are missing, with what
/// recovery says of each beside the files.
enum JournalFossils {
  typealias Backend = Journal.Configuration.Backend

  /// What was done to the journal of a state.
  struct State: Sendable {
    let name: String
    /// Both where the files differ: a journal that was closed has the same ones either way.
    let backends: [Backend]
    let make: @Sendable (JournalFixture) throws -> Void

    init(
      _ name: String, _ backends: [Backend] = [.written],
      _ make: @escaping @Sendable (JournalFixture) throws -> Void
    ) {
      self.name = name
      self.backends = backends
      self.make = make
    }
  }

  /// Entries enough for two segments and a bit.
  private static let count = 60

  private static func write(_ fixture: JournalFixture, close: Bool = false) throws {
    let journal = try fixture.open(header: { [Array("the header".utf8)] })
    for number in 1...count {
      let sync: Sync = number % 20 == 11 ? .full : .processDeath
      try journal.append(JournalFixture.entry(number), sync: sync)
    }
    if close { journal.close() }
    fixture.disk.restart()
  }

  /// Changes the content of a segment.
  private static func change(
    _ fixture: JournalFixture, _ segment: UInt64, _ body: (inout [UInt8]) -> Void
  ) {
    guard var bytes = fixture.disk.content(of: fixture.path(segment)) else { return }
    body(&bytes)
    fixture.disk.setContent(of: fixture.path(segment), to: bytes)
  }

  /// Where each frame of a segment begins; at last, where the frames end.
  private static func frames(_ bytes: [UInt8]) -> [Int] {
    var offsets = [Int(JournalSegmentHeader.framesStart)]
    while let last = offsets.last, last + JournalFormat.frameOverhead <= bytes.count,
      let word = JournalFrameWord(rawValue: bytes.rawSpan.littleEndian(UInt32.self, at: last))
    {
      offsets.append(last + JournalFormat.frameLength(payload: word.length))
    }
    return offsets
  }

  /// The process was killed within the last entry: a part of a write, or a frame with the mark.
  private static func tear(_ fixture: JournalFixture, _ segment: UInt64) {
    change(fixture, segment) { bytes in
      let offsets = frames(bytes)
      let last = offsets[offsets.count - 2]
      if fixture.backend == .written {
        bytes.removeLast(bytes.count - last - 13)
      } else {
        bytes[last + 3] |= 0x80
        for index in last + 13..<bytes.count { bytes[index] = 0 }
      }
    }
  }

  private static let both: [Backend] = [.written, .mapped]

  static let states: [State] = [
    State("clean", both) { try write($0, close: true) },
    State("killed", both) { try write($0) },
    State("torn", both) { fixture in
      try write(fixture)
      tear(fixture, 3)
    },
    // A torn segment that is not the last one: the next writer went on behind it.
    State("holed", both) { fixture in
      try write(fixture)
      tear(fixture, 3)
      let journal = try fixture.open()
      for number in 100...103 { try journal.append(JournalFixture.entry(number)) }
      journal.close()
    },
    // A loss of power kept the length of the file, and not the end of its content.
    State("zero-tail", both) { fixture in
      try write(fixture)
      change(fixture, 3) { bytes in
        let offsets = frames(bytes)
        for index in offsets[offsets.count - 3] + 11..<bytes.count { bytes[index] = 0 }
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count % 512)
      }
    },
    State("damaged-middle") { fixture in
      try write(fixture, close: true)
      change(fixture, 2) { bytes in
        let offsets = frames(bytes)
        for index in offsets[4] + 2..<offsets[9] - 3 { bytes[index] ^= 0x5a }
      }
    },
    State("damaged-end", both) { fixture in
      try write(fixture)
      change(fixture, 3) { bytes in
        let offsets = frames(bytes)
        bytes[offsets[offsets.count - 2] + 9] ^= 1
      }
    },
    // A block of another file where this one had never written.
    State("stale-frames", both) { fixture in
      try write(fixture)
      let other = JournalFixture(backend: fixture.backend)
      let journal = try Journal(
        directory: JournalFixture.directory,
        configuration: Journal.Configuration(backend: .written),
        environment: JournalEnvironment(
          simulated: other.disk, clock: WallClock { 0 }, random: { 99 }))
      for number in 1...30 { try journal.append(JournalFixture.entry(number)) }
      guard let stale = other.disk.content(of: other.path(1)) else { return }
      change(fixture, 3) { bytes in
        let end = frames(bytes).last ?? 0
        bytes.replaceSubrange(end..<min(bytes.count, end + 256), with: stale[end..<end + 256])
      }
    },
    State("one-header-copy") { fixture in
      try write(fixture, close: true)
      change(fixture, 2) { $0[50] ^= 1 }
    },
    State("no-header") { fixture in
      try write(fixture, close: true)
      change(fixture, 2) { bytes in
        for index in 0..<256 { bytes[index] = 0xa5 }
      }
    },
    State("missing-segment") { fixture in
      try write(fixture, close: true)
      try fixture.disk.unlink(fixture.path(2))
    },
    State("dropped") { fixture in
      try write(fixture, close: true)
      try fixture.disk.unlink(fixture.path(1))
    },
    State("cut-to-nothing", both) { fixture in
      try write(fixture)
      change(fixture, 2) { $0.removeAll() }
    },
    State("newer-format") { fixture in
      try write(fixture, close: true)
      change(fixture, 3) { bytes in
        for copy in [0, 128] {
          bytes[copy + 8] = 2
          let crc = CRC32C.checksum(bytes.rawSpan.extracting(copy..<copy + 124))
          for byte in 0..<4 {
            bytes[copy + 124 + byte] = UInt8(truncatingIfNeeded: crc >> (8 * byte))
          }
        }
      }
    },
  ]
}

/// What recovery says of a journal, as text that a fossil has beside it.
struct JournalVerdict {
  let text: String

  /// Of the journal on `disk`, read under the same start of the system and after the next one.
  init(of disk: SimulatedDisk) throws {
    let other = disk.copy()
    other.crash()
    text =
      "Read under the same start of the system:\n\n" + (try Self.describe(disk))
      + "\nRead after another start:\n\n" + (try Self.describe(other))
  }

  private static func describe(_ disk: SimulatedDisk) throws -> String {
    let recovery = try JournalRecovery.recover(
      directory: JournalFixture.directory, fileSystem: disk)
    let report = recovery.report
    var lines = [
      "header entries: \(recovery.segmentHeader.map { String(decoding: $0, as: UTF8.self) })"
    ]
    lines += runs(recovery.entries)
    lines += report.segments.map { segment in
      let info = segment.info
      return "\(FilePath.name(of: info.path)): \(segment.condition), "
        + "\(info.firstSequence)...\(info.lastSequence)"
    }
    lines += report.damages.map { damage in
      let missing = damage.missing.map { "\($0)" } ?? "an unknown number of"
      return "damage: \(damage.kind) in \(FilePath.name(of: damage.file)) at \(damage.offset), "
        + "\(damage.length) bytes, \(missing) entries missing"
        + (damage.firstMissing.map { " from \($0)" } ?? "")
    }
    lines.append("dropped: \(report.droppedEntryCount)")
    lines.append("last sequence: \(report.lastSequence)")
    lines.append("torn: \(report.foundTornEntry)")
    lines.append("cleanly closed: \(report.isCleanlyClosed)")
    return lines.map { $0 + "\n" }.joined()
  }

  /// A line for each run of entries without a gap, with a checksum of them all.
  private static func runs(_ entries: [JournalRecovery.Entry]) -> [String] {
    var lines: [String] = []
    var first = 0
    for index in entries.indices
    where index + 1 == entries.count || entries[index + 1].sequence != entries[index].sequence + 1 {
      let bytes = entries[first...index].flatMap { [UInt8($0.payload.count)] + $0.payload }
      lines.append(
        "entries \(entries[first].sequence)...\(entries[index].sequence), checksum "
          + String(CRC32C.checksum(bytes.rawSpan), radix: 16))
      first = index + 1
    }
    return lines
  }
}
