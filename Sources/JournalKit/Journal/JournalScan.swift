/// One reading of a journal's directory, from its first segment to its last.
struct JournalScan: ~Copyable {
  private let fileSystem: any FileSystem
  private(set) var report = JournalRecoveryReport()
  /// Entries up to this one are known already and are not handed out.
  private let after: UInt64
  /// The sequence that the next segment should begin with; nil when nothing says so.
  private var expected: UInt64?
  /// What only the next readable segment will tell the missing entries of.
  private var open = OpenEnd()

  /// How many damages of a file are told apart: it may have been made to have one every few bytes.
  private static let damageLimit = 256

  private struct OpenEnd {
    /// Indices of damages in the report.
    var damages: [Int] = []
    /// An end without a seal, and what to report if entries turn out to be missing behind it.
    var unsealed: (segment: Int, damage: JournalDamage)?
    /// A file vanished after it was listed: the budget or a compaction took it.
    var vanished = false
  }

  init(fileSystem: any FileSystem, after sequence: UInt64) {
    self.fileSystem = fileSystem
    after = sequence
    expected = sequence > 0 ? sequence + 1 : nil
    report.lastSequence = sequence
  }

  /// Reads all of `directory`, or all before the segment that a writer may still be in.
  mutating func run<E: Error>(
    _ directory: String, closedOnly: Bool, _ body: (borrowing JournalEntry) throws(E) -> Void
  ) throws(E) {
    var numbers: [UInt64]
    do throws(DiskError) {
      numbers = try fileSystem.segmentNumbers(in: directory)
    } catch {
      if !error.isMissing { add(.unreadable(error), directory) }
      return
    }
    let current = closedOnly ? takeCurrent(&numbers, directory) : nil
    if numbers.first == 1 && expected == nil { expected = 1 }
    for number in numbers {
      report.isCleanlyClosed = false
      try read(path(directory, number), number, body)
    }
    if let current { peek(at: current, path(directory, current.segmentNumber)) }
  }

  private func path(_ directory: String, _ number: UInt64) -> String {
    FilePath.join(directory, JournalFormat.fileName(ofSegment: number))
  }

  /// Takes the segment that a writer may still be in out of `numbers`, with all of a higher number: that is the
  /// newest one which says itself that it is. Anyone may have put a file there whose name only looks newer, and
  /// to take the one that grows for a closed one would cost what is still to come.
  private func takeCurrent(_ numbers: inout [UInt64], _ directory: String) -> JournalSegmentHeader?
  {
    var journalID: UInt128?
    for number in numbers where journalID == nil {
      journalID = header(at: path(directory, number))?.journalID
    }
    while let number = numbers.popLast() {
      guard let header = header(at: path(directory, number)) else { continue }
      if header.segmentNumber == number && header.journalID == journalID { return header }
    }
    return nil
  }

  private func header(at path: String) -> JournalSegmentHeader? {
    guard var window = try? FileWindow.open(path, fileSystem),
      case .header(let header, _) = try? JournalSegmentHeader.find(in: &window)
    else { return nil }
    return header
  }

  /// Learns from the header of a segment that is not read what is missing before it.
  private mutating func peek(at header: JournalSegmentHeader, _ path: String) {
    guard header.journalID == report.journalID else { return }
    join(header, path)
    // What is missing before it has been counted now, and is known from here on.
    report.lastSequence = max(report.lastSequence, header.firstSequence - 1)
  }

  private mutating func read<E: Error>(
    _ path: String, _ number: UInt64, _ body: (borrowing JournalEntry) throws(E) -> Void
  ) throws(E) {
    let window: FileWindow
    let found: JournalSegmentHeader.Found
    do throws(DiskError) {
      var opened = try FileWindow.open(path, fileSystem)
      found = try JournalSegmentHeader.find(in: &opened)
      window = opened
    } catch {
      guard !error.isMissing else {
        open.vanished = true
        return
      }
      addUnknown(path, number, length: 0, .unreadable)
      open.damages.append(add(.unreadable(error), path))
      return
    }
    let length = window.length
    switch found {
    case .header(let header, let damage):
      if let damage { add(.header, path, damage, missing: 0) }
      let reader = JournalSegmentReader(window, header: header, bootID: fileSystem.bootID)
      try read(reader, path, number, isDamaged: damage != nil, body)
    case .unsupported(let majorVersion):
      addUnknown(path, number, length: length, .unreadable)
      open.damages.append(add(.unsupportedVersion(majorVersion), path))
    case .unbegun:
      report.foundTornEntry = report.foundTornEntry || length > 0
      leaveOpen(path, 0..<length, .header)
      addUnknown(path, number, length: length, .intact)
    case .damaged:
      addUnknown(path, number, length: length, .damaged)
      open.damages.append(add(.header, path, 0..<length))
    }
  }

  private mutating func read<E: Error>(
    _ opened: consuming JournalSegmentReader, _ path: String, _ number: UInt64, isDamaged: Bool,
    _ body: (borrowing JournalEntry) throws(E) -> Void
  ) throws(E) {
    var reader = opened
    let header = reader.header
    guard header.journalID == report.journalID ?? header.journalID else {
      addUnknown(path, number, length: reader.length, .damaged)
      add(.misplaced, path, 0..<reader.length)
      return
    }
    report.journalID = header.journalID
    join(header, path)
    var condition: JournalRecoveryReport.Condition = isDamaged ? .damaged : .intact
    let ending = try readFrames(&reader, path, &condition, body)
    let last = header.firstSequence + reader.ordinal - 1
    // A file that repeats entries may end before they do.
    report.lastSequence = max(report.lastSequence, last)
    expected = report.lastSequence + 1
    report.isCleanlyClosed = ending == .clean(isSealed: true)
    switch ending {
    case .clean(let isSealed):
      if !isSealed { leaveOpen(path, reader.length..<reader.length, .frames) }
    case .torn(let offset):
      report.foundTornEntry = true
      leaveOpen(path, offset..<reader.length, .frames)
    case .damaged(let offset):
      let kind: JournalDamage.Kind = offset == reader.length ? .seal : .frames
      let damage = add(kind, path, offset..<reader.length, missing: reader.isSealed ? 0 : nil)
      if !reader.isSealed { open.damages.append(damage) }
      condition = .damaged
    case nil:
      condition = .unreadable
    }
    report.segments.append(
      JournalRecoveryReport.Segment(
        info: JournalSegmentInfo(
          path: path, number: number, firstSequence: header.firstSequence, lastSequence: last,
          length: reader.length),
        condition: condition))
  }

  /// Hands out the entries and notes the gaps; nil when the operating system stopped it.
  private mutating func readFrames<E: Error>(
    _ reader: inout JournalSegmentReader, _ path: String,
    _ condition: inout JournalRecoveryReport.Condition,
    _ body: (borrowing JournalEntry) throws(E) -> Void
  ) throws(E) -> JournalSegmentReader.Ending? {
    var foundRepeats = false
    let newest = report.lastSequence
    while true {
      let step: JournalSegmentReader.Step
      do throws(DiskError) {
        step = try reader.next()
      } catch {
        open.damages.append(add(.unreadable(error), path))
        return nil
      }
      switch step {
      case .gap(let range, let missing):
        condition = .damaged
        // What was missing among the known entries, is known, too.
        let next = reader.header.firstSequence + reader.ordinal
        if after == 0 || next > after + 1 {
          let first = max(next - missing, newest + 1)
          addGap(path, range, missing: next > first ? next - first : 0, from: first)
        }
      case .end(let ending):
        return ending
      case .frame(let frame) where frame.kind == .header:
        try body(
          JournalEntry(
            kind: .header, sequence: 0, file: path, offset: frame.offset,
            payload: reader.payload(of: frame)))
      case .frame(let frame) where frame.kind == .entry:
        let sequence = reader.header.firstSequence + frame.ordinal
        if sequence <= newest {
          // Known already, or else a second entry of the same number.
          if sequence > after && !foundRepeats {
            foundRepeats = true
            condition = .damaged
            add(.misplaced, path, frame.offset..<reader.length, missing: 0)
          }
          continue
        }
        report.entryCount += 1
        try body(
          JournalEntry(
            kind: .entry, sequence: sequence, file: path, offset: frame.offset,
            payload: reader.payload(of: frame)))
      case .frame: continue
      }
    }
  }
}

// MARK: - Between the segments

extension JournalScan {
  /// Accounts for the entries between what was read so far and the segment of `header`.
  private mutating func join(_ header: JournalSegmentHeader, _ path: String) {
    defer { open = OpenEnd() }
    let first = header.firstSequence
    guard let expected else {
      if open.damages.isEmpty { report.droppedEntryCount = first - 1 }
      return
    }
    let missing = first > expected ? first - expected : 0
    if !open.damages.isEmpty {
      // What is missing between two segments is counted once, at the first damage between them.
      guard !header.continuesUnsealed else { return }
      for index in open.damages { report.damages[index].missing = 0 }
      report.damages[open.damages[0]].missing = missing
      report.damages[open.damages[0]].firstMissing = expected
    } else if missing > 0 {
      if let (segment, end) = open.unsealed {
        var damage = end
        damage.missing = header.continuesUnsealed ? nil : missing
        damage.firstMissing = expected
        report.damages.append(damage)
        report.segments[segment].condition = .damaged
      } else if report.segments.isEmpty || open.vanished {
        report.droppedEntryCount += missing
      } else {
        add(.missingSegments, path, missing: missing, from: expected)
      }
    }
  }

  /// Notes that the segment which is reported next has no seal.
  private mutating func leaveOpen(
    _ path: String, _ range: Range<Int64>, _ kind: JournalDamage.Kind
  ) {
    let damage = JournalDamage(
      file: path, offset: range.lowerBound, length: range.upperBound - range.lowerBound,
      kind: kind, missing: nil)
    open.unsealed = (report.segments.count, damage)
  }

  /// Notes a file that tells nothing about its entries.
  private mutating func addUnknown(
    _ path: String, _ number: UInt64, length: Int64,
    _ condition: JournalRecoveryReport.Condition
  ) {
    let next = report.lastSequence + 1
    report.segments.append(
      JournalRecoveryReport.Segment(
        info: JournalSegmentInfo(
          path: path, number: number, firstSequence: next, lastSequence: next - 1, length: length),
        condition: condition))
  }

  private mutating func addGap(
    _ path: String, _ range: Range<Int64>, missing: UInt64, from first: UInt64
  ) {
    let index = report.damages.count - Self.damageLimit
    if index >= 0 && report.damages[index].file == path {
      report.damages[report.damages.count - 1].extend(range, missing: missing, from: first)
    } else {
      add(.frames, path, range, missing: missing, from: missing > 0 ? first : nil)
    }
  }

  @discardableResult
  private mutating func add(
    _ kind: JournalDamage.Kind, _ file: String, _ range: Range<Int64> = 0..<0,
    missing: UInt64? = nil, from firstMissing: UInt64? = nil
  ) -> Int {
    report.damages.append(
      JournalDamage(
        file: file, offset: range.lowerBound, length: range.upperBound - range.lowerBound,
        kind: kind, missing: missing, firstMissing: firstMissing))
    return report.damages.count - 1
  }
}
