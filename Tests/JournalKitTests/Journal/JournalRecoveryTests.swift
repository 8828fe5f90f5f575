import JournalKit
import TestSupport
import Testing

/// Damage of every kind: what stands is returned, what is gone is counted.
@Suite struct JournalRecoveryTests {
  private let fixture = JournalFixture()
  private var disk: SimulatedDisk { fixture.disk }
  private let frames = Int(JournalSegmentHeader.framesStart)

  /// One segment with `count` entries; returns its bytes. Unsealed, as a killed writer leaves it.
  private func write(_ count: Int, close: Bool = false) throws -> [UInt8] {
    let journal = try fixture.open(segment: nil)
    for number in 1...count { try journal.append(JournalFixture.entry(number)) }
    let bytes = disk.content(of: fixture.path(1))
    if close { journal.close() } else { disk.restart() }
    return try #require(close ? disk.content(of: fixture.path(1)) : bytes)
  }

  private func recover(_ bytes: [UInt8], segment: UInt64 = 1) throws -> JournalRecovery {
    disk.setContent(of: fixture.path(segment), to: bytes)
    return try fixture.recover()
  }

  /// The offset of each entry's frame, and the end of the last.
  private func offsets(_ count: Int, in bytes: [UInt8]) -> [Int] {
    var offsets = [frames]
    for number in 1...count {
      let length = JournalFormat.frameLength(payload: JournalFixture.entry(number).count)
      offsets.append((offsets.last ?? 0) + length)
    }
    return offsets
  }

  @Test func nothingThereIsEmpty() throws {
    let recovery = try fixture.recover()
    #expect(recovery.entries == [] && recovery.report == JournalRecoveryReport())
  }

  @Test func everyTruncationKeepsTheWholeEntries() throws {
    let bytes = try write(5)
    let offsets = offsets(5, in: bytes)
    #expect(offsets.last == bytes.count)
    for length in 0...bytes.count {
      let recovery = try recover(Array(bytes[..<length]))
      let whole = offsets.filter { $0 <= length }.count - 1
      #expect(recovery.payloads == JournalFixture.entries(1..<max(whole + 1, 1)), "\(length)")
      let isBoundary = offsets.contains(length) || length == 0
      #expect(recovery.foundTornEntry == !isBoundary, "\(length)")
      #expect(recovery.report.damages == [], "\(length)")
    }
  }

  @Test func aTruncatedJournalIsContinued() throws {
    let bytes = try write(5)
    for length in [0, 100, frames, bytes.count - 9, bytes.count - 1, bytes.count] {
      let copy = JournalFixture(disk: disk.copy())
      copy.disk.setContent(of: copy.path(1), to: Array(bytes[..<length]))
      let before = try copy.recover().entries.count
      let journal = try copy.open()
      for number in 0..<10 { try journal.append([UInt8(number)]) }
      #expect(try copy.recover().entries.count == before + 10)
      #expect(try copy.recover().sequences == Array(1...UInt64(before + 10)))
      #expect(copy.disk.content(of: copy.path(1)) == Array(bytes[..<length]))
    }
  }

  /// Every bit of a sealed segment: no entry is ever changed, invented or out of order, at most the hit one
  /// is gone, and the hit is noticed.
  @Test func everyFlippedBitIsNoticed() throws {
    let bytes = try write(5, close: true)
    let entries = JournalFixture.entries(1...5)
    for position in 0..<bytes.count {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[position] ^= 1 << bit
        let recovery = try recover(damaged)
        // What is missing is unknown only when the seal itself was hit.
        let isCounted =
          recovery.missing.map { recovery.entries.count + Int($0) == 5 && $0 <= 1 }
          ?? (recovery.entries.count == 5 && position >= bytes.count - 32)
        let isTrue = recovery.entries.allSatisfy { $0.payload == entries[Int($0.sequence) - 1] }
        let isNoticed = !recovery.report.damages.isEmpty || recovery.foundTornEntry
        if !isCounted || !isTrue || !isNoticed {
          Issue.record("byte \(position), bit \(bit): \(recovery.report)")
        }
      }
    }
  }

  @Test func damageInTheMiddleIsCountedExactly() throws {
    let bytes = try write(400)
    let offsets = offsets(400, in: bytes)
    for (first, last) in [(1, 1), (10, 12), (100, 350), (1, 399)] {
      var random = SeededRandom(seed: UInt64(first))
      var damaged = bytes
      let range = offsets[first - 1] + 3..<offsets[last] - 1
      damaged.replaceSubrange(range, with: random.bytes(range.count))
      let recovery = try recover(damaged)
      let rest = Array(1..<first) + Array(last + 1...400)
      #expect(recovery.payloads == JournalFixture.entries(rest), "\(first)...\(last)")
      #expect(recovery.sequences == rest.map { UInt64($0) })
      #expect(recovery.missing == UInt64(last - first + 1))
      let damage = try #require(recovery.report.damages.first)
      #expect(damage.kind == .frames && damage.file == fixture.path(1))
      #expect(damage.offset == Int64(offsets[first - 1]))
      #expect(damage.offset + damage.length == Int64(offsets[last]))
    }
  }

  @Test func separateDamagesAreSeparate() throws {
    let bytes = try write(20)
    let offsets = offsets(20, in: bytes)
    var damaged = bytes
    for entry in [3, 5, 6, 20] { damaged[offsets[entry - 1] + 9] ^= 0x40 }
    let recovery = try recover(damaged)
    #expect(recovery.sequences == [1, 2, 4] + Array(7...19))
    #expect(recovery.report.damages.map(\.missing) == [1, 2, nil])
  }

  @Test func zerosMeanTheEnd() throws {
    let bytes = try write(5)
    for count in [1, 8, 30, 4096, 1 << 20] {
      let recovery = try recover(bytes + [UInt8](repeating: 0, count: count))
      #expect(recovery.payloads == JournalFixture.entries(1...5), "\(count)")
      #expect(!recovery.foundTornEntry && recovery.report.damages == [], "\(count)")
    }
    let blank = try recover([UInt8](repeating: 0, count: bytes.count))
    #expect(blank.entries == [])
    #expect(blank.report.damages == [])
  }

  /// Zeros in the middle are not the end.
  @Test func aZeroedPageIsDamage() throws {
    let bytes = try write(500)
    var damaged = bytes
    damaged.replaceSubrange(4096..<8192, with: [UInt8](repeating: 0, count: 4096))
    let recovery = try recover(damaged)
    let missing = try #require(recovery.missing)
    #expect(missing > 50 && recovery.entries.count + Int(missing) == 500)
    #expect(recovery.sequences.last == 500)
  }

  /// After a loss of power anything behind the last sync may be torn; before it, damage is damage.
  @Test func aLossOfPowerExplainsOnlyWhatWasNotSynced() throws {
    let journal = try fixture.open(segment: nil)
    for number in 1...6 {
      try journal.append(JournalFixture.entry(number), sync: number == 3 ? .full : .processDeath)
    }
    let bytes = try #require(disk.content(of: fixture.path(1)))
    disk.crash()
    var last = bytes
    last[bytes.count - 10] ^= 1
    #expect(try recover(last).foundTornEntry)
    #expect(try recover(last).report.damages == [])
    // All after the third entry gone bad: still nothing that was promised is missing.
    var tail = bytes
    let synced = offsets(3, in: bytes)[3] + 24
    for index in stride(from: synced + 9, to: tail.count, by: 8) { tail[index] ^= 0xff }
    #expect(try recover(tail).foundTornEntry && recover(tail).report.damages == [])
    var middle = bytes
    middle[offsets(3, in: bytes)[2] + 9] ^= 1
    #expect(try recover(middle).missing == 1)
  }

  @Test func aDamagedHeaderCostsOneFileAtMost() throws {
    let journal = try fixture.open()
    for number in 1...90 { try journal.append(JournalFixture.entry(number)) }
    disk.restart()
    let bytes = try #require(disk.content(of: fixture.path(2)))
    var one = bytes
    one[5] ^= 1
    #expect(try recover(one, segment: 2).payloads == JournalFixture.entries(1...90))
    #expect(try fixture.recover().report.damages.map(\.kind) == [.header])
    #expect(try fixture.recover().missing == 0)
    var both = one
    both[140] ^= 1
    let recovery = try recover(both, segment: 2)
    #expect(recovery.report.damages.map(\.kind) == [.header])
    #expect(recovery.entries.count + Int(try #require(recovery.missing)) == 90)
    #expect(recovery.sequences.first == 1 && recovery.sequences.last == 90)
  }

  @Test func aMissingSegmentIsCounted() throws {
    let journal = try fixture.open()
    for number in 1...90 { try journal.append(JournalFixture.entry(number)) }
    journal.close()
    try disk.unlink(fixture.path(2))
    let middle = try fixture.recover()
    #expect(middle.report.damages.map(\.kind) == [.missingSegments])
    #expect(middle.entries.count + Int(try #require(middle.missing)) == 90)
    #expect(!middle.droppedOlderEntries)
    try disk.unlink(fixture.path(1))
    let start = try fixture.recover()
    #expect(start.droppedOlderEntries && start.report.damages == [])
    #expect(start.entries.count + Int(start.report.droppedEntryCount) == 90)
  }

  /// Ten files of which the fifth has one bad byte: one entry is lost and nothing is deleted.
  @Test func aBadByteLosesOneEntryOfOneFile() throws {
    let journal = try fixture.open()
    var count = 0
    while fixture.segments.count < 10 {
      count += 1
      try journal.append(JournalFixture.entry(count))
    }
    journal.close()
    var bytes = try #require(disk.content(of: fixture.path(5)))
    bytes[frames + 40] ^= 0x10
    let recovery = try recover(bytes, segment: 5)
    #expect(recovery.entries.count == count - 1 && recovery.missing == 1)
    #expect(recovery.report.damages.map(\.file) == [fixture.path(5)])
    #expect(fixture.segments.count == 10)
  }

  @Test func newerVersionsAreLeftAlone() throws {
    var bytes = try write(3)
    for copy in [0, 128] {
      bytes[copy + 8] = 2
      let header = Array(bytes[copy..<copy + 124])
      let crc = CRC32C.checksum(header.rawSpan)
      for byte in 0..<4 { bytes[copy + 124 + byte] = UInt8(truncatingIfNeeded: crc >> (8 * byte)) }
    }
    let recovery = try recover(bytes)
    #expect(recovery.entries == [])
    #expect(recovery.report.damages.map(\.kind) == [.unsupportedVersion(2)])
    #expect(throws: JournalError.unsupportedVersion(file: fixture.path(1), majorVersion: 2)) {
      try fixture.open()
    }
    #expect(disk.content(of: fixture.path(1)) == bytes)
  }

  @Test func framesOfAnotherFileDoNotCount() throws {
    let bytes = try write(5)
    let other = JournalFixture(disk: SimulatedDisk())
    // The same writer with other salts: as a recycled block of the same file would be.
    let journal = try Journal(
      directory: JournalFixture.directory,
      environment: JournalEnvironment(simulated: other.disk, random: { 99 }))
    for number in 1...9 { try journal.append(JournalFixture.entry(number)) }
    let stale = try #require(other.disk.content(of: other.path(1)))
    let recovery = try recover(bytes + stale[bytes.count...])
    #expect(recovery.payloads == JournalFixture.entries(1...5))
    // A frame moved within its own file fails, too.
    let offsets = offsets(5, in: bytes)
    let moved = bytes + bytes[offsets[2]..<offsets[3]]
    #expect(try recover(moved).payloads == JournalFixture.entries(1...5))
  }

  @Test func aJournalWithinAnEntryIsJustAnEntry() throws {
    let bytes = try write(5)
    let journal = try fixture.open(segment: nil)
    try journal.append(bytes)
    try journal.append([1])
    var damaged = try #require(disk.content(of: fixture.path(2)))
    damaged[frames] ^= 1
    let recovery = try recover(damaged, segment: 2)
    #expect(recovery.payloads == JournalFixture.entries(1...5) + [[1]])
    #expect(recovery.missing == 1)
  }

  @Test func unreadableIsNotDamaged() throws {
    let journal = try fixture.open()
    for number in 1...90 { try journal.append(JournalFixture.entry(number)) }
    journal.close()
    let count = fixture.segments.count
    disk.inject(.init(.open, at: 2))
    let recovery = try fixture.recover()
    #expect(recovery.report.segments.map(\.condition).filter { $0 == .unreadable }.count == 1)
    #expect(recovery.entries.count + Int(try #require(recovery.missing)) == 90)
    disk.inject(.init(.list))
    #expect(throws: JournalError.self) { try fixture.recover() }
    #expect(fixture.segments.count == count)
  }

  @Test func noiseNeverTrapsOrInvents() throws {
    var random = SeededRandom(seed: 11)
    let bytes = try write(30)
    let entries = Set(JournalFixture.entries(1...30))
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let start = Int.random(in: 0..<damaged.count, using: &random)
        let end = min(damaged.count, start + Int.random(in: 1...200, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: damaged.replaceSubrange(start..<end, with: random.bytes(end - start))
        case 1: damaged.removeSubrange(start..<end)
        case 2: damaged.insert(contentsOf: damaged[start..<end], at: start)
        default: damaged[start] = 0xff
        }
        if damaged.isEmpty { damaged = [0] }
      }
      let recovery = try recover(damaged)
      #expect(entries.isSuperset(of: recovery.payloads), "\(random)")
      #expect(recovery.sequences == recovery.sequences.sorted(), "\(random)")
      #expect(Set(recovery.sequences).count == recovery.sequences.count, "\(random)")
    }
  }

  /// A file made so that every offset looks like the start of a long frame.
  @Test func theSearchIsBounded() throws {
    let bytes = try write(1)
    let word: [UInt8] = [0, 0, 2, 0x10, 1, 2, 3, 4]
    let bomb = bytes + (0..<64 << 10).flatMap { _ in word }
    let recovery = try recover(bomb)
    #expect(recovery.entries.count == 1)
    #expect(recovery.report.damages.count == 1)
  }

  @Test func removalIsForAbandonedJournalsOnly() throws {
    let journal = try fixture.open()
    try journal.append([1])
    let owned = JournalError.ownedByAnother(directory: JournalFixture.directory)
    #expect(throws: owned) {
      try JournalRecovery.remove(directory: JournalFixture.directory, fileSystem: disk)
    }
    journal.close()
    disk.setContent(of: "\(JournalFixture.directory)/notes.txt", to: [1])
    try JournalRecovery.remove(directory: JournalFixture.directory, fileSystem: disk)
    #expect(disk.paths == ["\(JournalFixture.directory)/notes.txt"])
    try disk.unlink("\(JournalFixture.directory)/notes.txt")
    try JournalRecovery.remove(directory: JournalFixture.directory, fileSystem: disk)
    #expect(try disk.status(at: JournalFixture.directory) == nil)
    try JournalRecovery.remove(directory: JournalFixture.directory, fileSystem: disk)
  }
}

/// Readings that begin behind entries that are known, as every reading of a journal that is being folded does.
@Suite struct JournalContinuedScanTests {
  private let fixture = JournalFixture()
  private var disk: SimulatedDisk { fixture.disk }

  private func scan(
    after sequence: UInt64, closedOnly: Bool = false
  ) -> (sequences: [UInt64], report: JournalRecoveryReport) {
    var sequences: [UInt64] = []
    let report = JournalRecovery.scan(
      directory: JournalFixture.directory, fileSystem: disk, after: sequence,
      closedOnly: closedOnly
    ) { entry in
      if entry.kind == .entry { sequences.append(entry.sequence) }
    }
    return (sequences, report)
  }

  private func fill() throws -> [JournalSegmentInfo] {
    let journal = try fixture.open()
    for number in 1...150 { try journal.append(JournalFixture.entry(number)) }
    let infos = journal.closedSegments()
    journal.close()
    #expect(infos.count > 3)
    return infos
  }

  @Test func onlyWhatIsNewIsHandedOut() throws {
    let infos = try fill()
    for sequence in [0, 1, infos[0].lastSequence, infos[1].lastSequence - 1, 149, 150, 151, 900] {
      let (sequences, report) = scan(after: sequence)
      #expect(sequences == (sequence < 150 ? Array(sequence + 1...150) : []), "after \(sequence)")
      #expect(report.damages == [] && !report.droppedOlderEntries, "after \(sequence)")
      #expect(report.lastSequence == max(sequence, 150), "after \(sequence)")
    }
  }

  /// A file that could not be removed, with known entries behind it gone, is no loss.
  @Test func aFileThatStayedBehindIsNoLoss() throws {
    let infos = try fill()
    try disk.unlink(infos[1].path)
    #expect(scan(after: 0).report.damages.count == 1)
    let (sequences, report) = scan(after: infos[1].lastSequence)
    #expect(sequences == Array(infos[1].lastSequence + 1...150))
    #expect(report.damages == [] && !report.droppedOlderEntries)
  }

  @Test func knownDamageIsNotReportedAgain() throws {
    let infos = try fill()
    var bytes = try #require(disk.content(of: infos[0].path))
    bytes[300] ^= 1
    disk.setContent(of: infos[0].path, to: bytes)
    #expect(scan(after: 0).report.damages.map(\.missing) == [1])
    let report = scan(after: infos[0].lastSequence).report
    #expect(report.damages == [])
    #expect(report.segments[0].condition == .damaged)
  }

  /// What a closed segment lost at its end, the header of the open one tells.
  @Test func theOpenSegmentTellsWhatTheClosedOnesLack() throws {
    let journal = try fixture.open(segment: nil)
    for number in 1...5 { try journal.append(JournalFixture.entry(number)) }
    try journal.rotate()
    try journal.append(JournalFixture.entry(6))
    let bytes = try #require(disk.content(of: fixture.path(1)))
    disk.setContent(of: fixture.path(1), to: Array(bytes.dropLast(32 + 24 + 24)))
    let (sequences, report) = scan(after: 0, closedOnly: true)
    #expect(report.damages.map(\.missing) == [UInt64(5 - sequences.count)])
    #expect(sequences.count < 5)
  }
}
