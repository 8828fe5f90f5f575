import JournalKit
import TestSupport
import Testing

/// Small journals with everything done to them: each byte cut off, each bit flipped, each call refused.
@Suite struct JournalExhaustiveRecoveryTests {
  typealias Backend = Journal.Configuration.Backend
  private static let backends: [Backend] = [.written, .mapped]

  /// Two segments of two entries each; the first one is sealed, the second one is as its writer's death left it.
  private func write(_ backend: Backend) throws -> JournalFixture {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open()
    for number in 1...4 {
      try journal.append(JournalFixture.entry(number))
      if number == 2 { try journal.rotate() }
    }
    fixture.disk.restart()
    return fixture
  }

  private func content(_ fixture: JournalFixture, _ segment: UInt64) throws -> [UInt8] {
    try #require(fixture.disk.content(of: fixture.path(segment)))
  }

  /// Where the entries of a segment begin and end.
  private func frames(_ entries: ClosedRange<Int>) -> [Int] {
    var offsets = [Int(JournalSegmentHeader.framesStart)]
    for entry in JournalFixture.entries(entries) {
      offsets.append(offsets[offsets.count - 1] + JournalFormat.frameLength(payload: entry.count))
    }
    return offsets
  }

  private func isTrue(_ recovery: JournalRecovery) -> Bool {
    recovery.entries.allSatisfy { $0.payload == JournalFixture.entry(Int($0.sequence)) }
      && zip(recovery.entries, recovery.entries.dropFirst()).allSatisfy {
        $0.sequence < $1.sequence
      }
  }

  /// What a file in the middle lost, the next one's first sequence tells exactly.
  @Test func everyTruncationOfAClosedSegmentIsCounted() throws {
    let fixture = try write(.written)
    let bytes = try content(fixture, 1)
    let offsets = frames(1...2)
    for length in 0..<bytes.count {
      fixture.disk.setContent(of: fixture.path(1), to: Array(bytes[..<length]))
      let recovery = try fixture.recover()
      let whole = max(0, offsets.filter { $0 <= length }.count - 1)
      #expect(recovery.sequences == Array(1..<UInt64(whole + 1)) + [3, 4], "\(length)")
      #expect(isTrue(recovery), "\(length)")
      #expect(recovery.missing == UInt64(2 - whole), "\(length)")
      #expect(recovery.report.damages.map(\.firstMissing) == (whole < 2 ? [UInt64(whole + 1)] : []))
    }
  }

  /// Of the segment that grew last nothing tells what it held; what is cut off it, was never promised.
  @Test(arguments: backends) func everyTruncationOfTheLastSegmentIsBelieved(
    backend: Backend
  ) throws {
    let fixture = try write(backend)
    let bytes = try content(fixture, 2)
    let offsets = frames(3...4)
    for length in 0...offsets[2] + 40 where length <= bytes.count {
      fixture.disk.setContent(of: fixture.path(2), to: Array(bytes[..<length]))
      let recovery = try fixture.recover()
      let whole = max(0, offsets.filter { $0 <= length }.count - 1)
      #expect(recovery.sequences == Array(1..<UInt64(whole + 3)), "\(length)")
      #expect(isTrue(recovery) && recovery.report.damages == [], "\(length)")
      let isBoundary = offsets.contains(length) || length == 0 || length > offsets[2]
      #expect(recovery.foundTornEntry == !isBoundary, "\(length)")
    }
  }

  /// Each bit of the segment that grew last, in its used part and behind: at most the hit entry is gone, and it is said.
  /// As long as the system runs, nothing but damage changes what was stored, and it is called that; but an intact
  /// entry whose mark was set is as good as any.
  @Test(arguments: [(Backend.written, true), (.written, false), (.mapped, true), (.mapped, false)])
  func everyFlippedBitOfTheLastSegmentIsNoticed(backend: Backend, isOtherBoot: Bool) throws {
    let fixture = try write(backend)
    let bytes = Array(try content(fixture, 2).prefix(512))
    if isOtherBoot {
      for number in fixture.segments {
        fixture.disk.setContent(of: fixture.path(number), to: try content(fixture, number))
      }
      fixture.disk.crash()
    }
    let offsets = frames(3...4)
    for position in 0..<min(bytes.count, offsets[2] + 16) {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[position] ^= 1 << bit
        fixture.disk.setContent(of: fixture.path(2), to: damaged)
        let recovery = try fixture.recover()
        let hit = offsets.filter { $0 <= position }.count
        // The entry in the hit frame is number 2 + `hit`.
        let isMark = hit == 2 && position == offsets[1] + 3 && bit == 7
        let expected: [UInt64] =
          hit == 0 || hit == 3 || isMark
          ? [1, 2, 3, 4] : hit == 1 ? [1, 2, 4] : [1, 2, 3]
        let isNoticed =
          isMark || !recovery.report.damages.isEmpty || isOtherBoot && recovery.foundTornEntry
        if recovery.sequences != expected || !isTrue(recovery) || !isNoticed {
          Issue.record("byte \(position), bit \(bit): \(recovery.sequences), \(recovery.report)")
        }
      }
    }
  }

  /// Each call of a reading is refused, once or from then on: what is handed out is true, and what is not, is reported.
  @Test(arguments: backends, [false, true])
  func everyRefusedCallIsReported(backend: Backend, closedOnly: Bool) throws {
    let fixture = try write(backend)
    let disk = fixture.disk
    func read() -> (sequences: [UInt64], report: JournalRecoveryReport) {
      var sequences: [UInt64] = []
      let report = JournalRecovery.scan(
        directory: JournalFixture.directory, fileSystem: disk, closedOnly: closedOnly
      ) { if $0.kind == .entry { sequences.append($0.sequence) } }
      return (sequences, report)
    }
    let before = disk.callCount
    let whole = read()
    #expect(whole.sequences == (closedOnly ? [1, 2] : [1, 2, 3, 4]))
    let calls = disk.callCount - before
    for call in 1...calls {
      for isLasting in [false, true] {
        disk.inject(.init(at: call, repeats: isLasting))
        let (sequences, report) = read()
        disk.removeFaults()
        let isRefused = report.damages.contains { damage in
          if case .unreadable = damage.kind { true } else { false }
        }
        #expect(Set(sequences).isSubset(of: whole.sequences), "call \(call)")
        #expect(sequences == sequences.sorted(), "call \(call)")
        if !isRefused {
          // Nothing was passed over: it may only have stopped before what might still grow.
          #expect(report.damages == [], "call \(call)")
          #expect(sequences == Array(whole.sequences.prefix(sequences.count)), "call \(call)")
          #expect(report.lastSequence == sequences.last ?? 0, "call \(call)")
          if !closedOnly { #expect(sequences == whole.sequences, "call \(call)") }
        }
        #expect(disk.openFileCount == 0, "call \(call)")
      }
    }
    #expect(calls > 8)
  }
}
