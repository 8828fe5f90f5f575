#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import JournalKit
import PQL
import SegmentIndex

extension PeriscopeStore {
  /// The spans that have begun here and not ended, longest first. Takes time in proportion to their number.
  public func openSpans() -> [OpenSpan] {
    periscope.spans.openSpans(now: clock.now())
  }

  /// How many sessions before this one are looked at for spans that nobody ended. What folded a journal may have died, or
  /// have been a tool that logs nothing, before somebody could do this.
  private static let sweptSessionCount = 4

  /// Ends the spans that dead processes have left open, or makes them this session's when they were to outlive it.
  ///
  /// `recovery` tells of the journals that were just folded; `isNew` that nothing has been logged through this object
  /// yet, so that what this session itself left open is an earlier process's. A store that cannot be read leaves the
  /// spans open for the next time.
  func sweepSpans(of recovery: RecoverySummary, isNew: Bool) {
    // First the sessions, then whose journal is there and may be alive: one that begins in between is not among
    // the sessions.
    guard let snapshot = try? reader.snapshot(),
      let names = try? segments.fileSystem.list(segments.journalsDirectory)
    else { return }
    var living = Set(names.compactMap { UniqueID($0) })
    if isNew { living.remove(session.id) }
    // What was imported has no journal, and its processes may be alive on another machine.
    let known = snapshot.segments.filter { !$0.sources.isEmpty }.flatMap(\.sessions)
      .sorted { ($0.start, $0.id) < ($1.start, $1.id) }.map(\.id)
    let folded = recovery.journals.compactMap(\.session?.id)
    var swept = Set(folded)
    for session in known.reversed() where !living.contains(session) {
      guard swept.count < folded.count + Self.sweptSessionCount else { break }
      swept.insert(session)
    }
    if !isNew { swept.remove(session.id) }
    guard !swept.isEmpty else { return }
    // One process at a time, so that each sees what the one before it closed. Who holds the lock does just this.
    let lockPath = Self.sweepLock(of: segments)
    guard let lock = try? segments.fileSystem.lock(at: lockPath) else { return }
    defer {
      try? segments.fileSystem.unlink(lockPath)
      // Closing alone would not do: a program that was forked meanwhile has the file open, too.
      try? segments.fileSystem.unlock(lock)
      try? segments.fileSystem.close(lock)
    }
    guard let held = spansHeld(by: living) else { return }
    for session in known where swept.remove(session) != nil { sweepSpans(of: session, held) }
  }

  /// There only while a process sees to the spans of dead ones, and locked by it.
  private static func sweepLock(of segments: SegmentStore) -> String {
    FilePath.join(segments.directory, "sweep.lock")
  }

  /// The spans of earlier processes that sessions which may be alive have made their own; nil when nobody can tell.
  private func spansHeld(by living: Set<UniqueID>) -> Set<UniqueID>? {
    let resumed = try? query("event = \(SpanEvent.resumed)").records
    return resumed.map { Set($0.filter { living.contains($0.session) }.compactMap(\.span)) }
  }

  private func sweepSpans(of session: UniqueID, _ held: Set<UniqueID>) {
    let begins = "(event = \(SpanEvent.began) or event = \(SpanEvent.resumed))"
    guard
      let open = try? query(
        "session = \(session) \(begins) | spans | where open = true | select span"
      ).table?.rows,
      !open.isEmpty,
      let records = try? query("session = \(session) \(begins) | sort sequence").records
    else { return }
    var begun: [UniqueID: Record] = [:]
    for record in records {
      if let span = record.span { begun[span] = record }
    }
    for case .uuid(let span)? in open.map({ $0[0] }) where !held.contains(span) {
      guard let record = begun[span] else { continue }
      let entry = entry(of: record)
      if entry.survivesRelaunch { periscope.resume(entry) } else { periscope.orphan(entry) }
    }
  }

  /// The span that `record` began or resumed.
  private func entry(of record: Record) -> SpanRegistry.Entry {
    let fields = try? JSONDecoder().decode(SpanFields.self, from: Data(record.payload))
    let start = fields?.began ?? record.time
    var entry = SpanRegistry.Entry(
      id: record.span ?? UniqueID(bits: 0), name: fields?.name ?? record.message,
      paths: record.scopes, start: start, startTick: periscope.spans.clock.now())
    entry.entity = fields?.entity
    entry.parent = fields?.parent
    entry.tags = record.tags
    entry.level = record.level
    entry.isResumed = true
    // Without an entity nobody could end it.
    entry.survivesRelaunch = fields?.survives == true && fields?.entity != nil
    if let bound = fields?.bound {
      entry.bound = .nanoseconds(bound)
      // It went on while there was no process.
      let (elapsed, isTooLong) = clock.now().subtractingReportingOverflow(start)
      let (rest, _) = isTooLong ? (0, false) : bound.subtractingReportingOverflow(max(0, elapsed))
      let (expiry, isTooLate) = entry.startTick.addingReportingOverflow(max(0, rest))
      entry.expiry = isTooLate ? .max : expiry
    }
    return entry
  }
}
