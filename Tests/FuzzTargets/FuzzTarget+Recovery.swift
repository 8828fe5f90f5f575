internal import JournalKit
internal import TestSupport

extension FuzzTarget {
  /// Reading a journal's directory, whatever is in it, ends, changes nothing, hands out entries in order and
  /// contradicts neither itself nor a second reading. And a journal that can be continued is.
  @Sendable static func recovery(_ bytes: [UInt8]) throws {
    let input = RecoveryInput(bytes)
    let disk = input.disk()
    let size = input.files.reduce(0) { $0 + $1.content.count }
    let calls = disk.callCount
    let reading = Reading(of: disk, input)
    try require(
      disk.callCount - calls <= 64 + 64 * input.files.count + size / 2,
      "\(disk.callCount - calls) calls for \(size) bytes")
    try reading.check(input)
    try require(disk.openFileCount == 0, "a file was left open")
    for (path, content) in input.files {
      try require(disk.content(of: path) == content, "\(path) has changed")
    }
    if size <= 4 << 10 {
      disk.transferLimit = 61
      try require(Reading(of: disk, input) == reading, "short reads change what is found")
      disk.transferLimit = .max
    }
    try checkContinuation(of: disk, input)
  }

  /// Everything that one reading found.
  private struct Reading: Equatable {
    var sequences: [UInt64] = []
    var payloads: [[UInt8]] = []
    var report = JournalRecoveryReport()

    init(of disk: SimulatedDisk, _ input: RecoveryInput) {
      report = JournalRecovery.scan(
        directory: RecoveryInput.directory, fileSystem: disk, after: input.after,
        closedOnly: input.isClosedOnly
      ) { entry in
        guard entry.kind == .entry else { return }
        sequences.append(entry.sequence)
        payloads.append(entry.payload.toArray())
      }
    }

    func check(_ input: RecoveryInput) throws {
      let pairs = zip([input.after] + sequences, sequences)
      try require(pairs.allSatisfy { $0 < $1 }, "sequences out of order: \(sequences)")
      try require(report.entryCount == sequences.count, "\(report) miscounts the entries")
      try require(
        report.lastSequence >= sequences.last ?? input.after, "\(report) does not know the last")
      for damage in report.damages {
        let length = input.files.first { $0.path == damage.file }?.content.count ?? 0
        try require(
          damage.offset >= 0 && damage.length >= 0 && damage.offset + damage.length <= length,
          "\(damage) is not within the file")
      }
      let missing = report.damages.filter { $0.missing ?? 0 > 0 }
      for damage in missing {
        guard let first = damage.firstMissing, let count = damage.missing else {
          throw FuzzFailure("\(damage) does not say where it begins")
        }
        let (end, overflow) = first.addingReportingOverflow(count)
        try require(!overflow && end - 1 <= report.lastSequence, "\(damage) goes beyond the end")
        // One damage may stand for many, with entries between them.
        try require(
          !sequences.contains(first), "\(first) is missing, according to \(damage), and is not")
      }
      let isExact = report.damages.allSatisfy { $0.missing != nil && $0.kind != .misplaced }
      if isExact && input.after == 0 {
        let lost = missing.reduce(report.droppedEntryCount) { $0 + ($1.missing ?? 0) }
        try require(
          UInt64(sequences.count) + lost <= report.lastSequence, "\(report) counts too many")
      }
    }
  }

  /// A new writer adds to what is there, and hides nothing of it.
  private static func checkContinuation(of disk: SimulatedDisk, _ input: RecoveryInput) throws {
    let directory = RecoveryInput.directory
    let before = try JournalRecovery.recover(directory: directory, fileSystem: disk)
    let environment = JournalEnvironment(
      simulated: disk, clock: WallClock { 1 }, random: { 0x0123_4567_89ab_cdef })
    // Refused because of a newer format, or of numbers that leave none for the next: then nothing is begun.
    guard let journal = try? Journal(directory: directory, environment: environment) else {
      return
    }
    // A writer believes the headers, and reads the last file only: no other writer began one below the end of
    // the one before.
    let segments = before.report.segments.map(\.info)
    guard zip(segments, segments.dropFirst()).allSatisfy({ $0.lastSequence < $1.firstSequence })
    else { return }
    let sequence = try journal.append([1, 2, 3])
    journal.close()
    let after = try JournalRecovery.recover(directory: directory, fileSystem: disk)
    try require(
      after.entries.dropLast() == before.entries[...] && after.entries.last?.sequence == sequence
        && after.entries.last?.payload == [1, 2, 3],
      "\(before.entries.count) entries and \(sequence) became \(after.report)")
    for (path, content) in input.files {
      try require(disk.content(of: path) == content, "\(path) was changed by a writer")
    }
  }
}
