import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// A store on a simulated disk, and journals whose entries are records by number.
struct StoreFixture {
  static let directory = "/store"
  static let session = UniqueID(bits: 0xabc)

  let disk: SimulatedDisk

  init(disk: SimulatedDisk = SimulatedDisk()) {
    self.disk = disk
  }

  func open() throws(StoreError) -> SegmentStore {
    try SegmentStore(directory: Self.directory, fileSystem: disk)
  }

  static func journalDirectory(_ name: String = "a") -> String {
    "\(directory)/journals/\(name)"
  }

  static func record(_ number: Int) -> Record {
    Record(
      id: UniqueID(session: session, sequence: UInt64(number)), time: Int64(number) * 1_000_000,
      sequence: UInt64(number), session: session, level: number % 7 == 0 ? .error : .info,
      event: "thing.happened", message: "record \(number)")
  }

  /// A journal's entry: a record's number, a session, something newer, or nonsense.
  static func decode(_ payload: RawSpan, _ sequence: UInt64) -> DecodedEntry {
    let text = String(decoding: payload.toArray(), as: UTF8.self)
    if let number = Int(text.prefix { $0 != " " }) { return .record(record(number)) }
    switch text {
    case "session": return .session(SessionInfo(id: session, start: 1, app: "Test 1.0"))
    case "newer": return .skip
    default: return .malformed(reason: "no number")
    }
  }

  static func entry(_ number: Int) -> [UInt8] {
    Array("\(number) ".utf8) + [UInt8](repeating: 0x2e, count: number % 19)
  }

  func journal(_ name: String = "a", segment: Int = 1 << 10) throws(JournalError) -> Journal {
    try Journal(
      directory: Self.journalDirectory(name),
      configuration: Journal.Configuration(
        maximumByteCount: 1 << 20, segmentByteCount: segment,
        segmentHeader: { [Array("session".utf8)] }),
      environment: JournalEnvironment(simulated: disk, clock: WallClock { 5 }))
  }

  /// Writes a journal with the records `numbers`, and closes it.
  func writeJournal(
    _ numbers: some Sequence<Int>, name: String = "a"
  ) throws(JournalError) {
    let journal = try journal(name)
    for number in numbers { try journal.append(Self.entry(number)) }
    journal.close()
  }

  func fold(
    _ store: SegmentStore, _ name: String = "a", onlyClosedSegments: Bool = false,
    rowLimit: Int = 20, now: Int64? = nil
  ) throws(StoreError) -> FoldReport {
    try Compactor(store, rowLimit: rowLimit).fold(
      journalDirectory: Self.journalDirectory(name), onlyClosedSegments: onlyClosedSegments,
      now: now, decode: Self.decode)
  }

  /// The numbers of the records in the store, in the order of its segments.
  func numbers(_ snapshot: Snapshot) throws -> [Int] {
    var numbers: [Int] = []
    for segment in snapshot.segments {
      var reader = try RecordReader(segment)
      for record in try reader.records(in: 0..<segment.rowCount) {
        if record != Self.record(Int(record.sequence)) { Issue.record("\(record) was changed") }
        numbers.append(Int(record.sequence))
      }
    }
    return numbers
  }

  /// What a reader sees: the store, and what the journal has beyond it.
  func visible(_ store: SegmentStore, journal name: String = "a") throws -> [Int] {
    let directory = Self.journalDirectory(name)
    let snapshot = try store.snapshot()
    let beginning = try JournalRecovery.beginning(of: directory, fileSystem: disk)
    let known = beginning.map { snapshot.compactedUpTo(journal: $0.journalID) } ?? 0
    var numbers = try numbers(snapshot)
    _ = JournalRecovery.scan(directory: directory, fileSystem: disk, after: known) { entry in
      guard entry.kind == .entry else { return }
      if case .record(let record) = Self.decode(entry.payload, entry.sequence) {
        numbers.append(Int(record.sequence))
      }
    }
    return numbers.sorted()
  }

  /// The names of the files in a directory of the store.
  func files(_ directory: String) -> [String] {
    (try? disk.list("\(Self.directory)/\(directory)")) ?? []
  }

  var manifests: [String] {
    ((try? disk.list(Self.directory)) ?? []).filter { $0.hasPrefix("manifest-") }
  }
}
