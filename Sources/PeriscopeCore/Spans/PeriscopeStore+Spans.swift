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
    let count = openCount(in: session)
    guard count != 0, let begun = try? spansLeftOpen(by: session, count),
      let ended = try? endsElsewhere(of: begun.compactMap(\.span))
    else { return }
    for record in begun {
      guard let span = record.span, !held.contains(span), !ended.contains(span) else { continue }
      let entry = entry(of: record)
      if entry.survivesRelaunch { periscope.resume(entry) } else { periscope.orphan(entry) }
    }
  }

  /// How many spans have begun, or were carried on, in a session and have not ended there, which is seen without reading
  /// records; nil when something of it was lost, or spans have begun there twice.
  private func openCount(in session: UniqueID) -> Int? {
    let lost = StoreWriteFailed.eventName
    guard
      let counts = try? query(
        "session = \(session) event in (\(SpanEvent.all), \(lost)) | count by event"),
      counts.summary.isComplete, let rows = counts.table?.rows
    else { return nil }
    var open = 0
    for row in rows {
      guard case .string(let event)? = row.first, event != lost, case .int(let count)? = row.last
      else { return nil }
      open += event == SpanEvent.ended ? -Int(count) : Int(count)
    }
    return open >= 0 ? open : nil
  }

  /// What began, or was carried on, in `session` and did not end there, in the order of the begins; `count` of them, if that
  /// is known.
  ///
  /// It goes from the newest record to the oldest, and so keeps in mind only spans that were open at the same time, however
  /// many there were in all.
  private func spansLeftOpen(by session: UniqueID, _ count: Int?) throws -> [Record] {
    let query = try Query("session = \(session) event in (\(SpanEvent.all))")
    var open: [UniqueID: Record] = [:]
    var ended: Set<UniqueID> = []
    let enough = QueryCancellation()
    do {
      _ = try reader.stream(query, limits: .unlimited, cancellation: enough) { records in
        for record in records {
          guard let span = record.span, !enough.isCancelled else { continue }
          switch record.event {
          case SpanEvent.ended:
            // A clock that was set back lets an end look older than its begin.
            if open.removeValue(forKey: span) == nil { ended.insert(span) }
          case SpanEvent.began:
            if ended.remove(span) == nil, open[span] == nil { open[span] = record }
          default:
            // It may have begun in this session, too, before that was continued.
            if !ended.contains(span) { open[span] = record }
          }
          if open.count == count { enough.cancel() }
        }
      }
    } catch {
      guard enough.isCancelled else { throw error }
    }
    return open.values.sorted { $0.sequence < $1.sequence }
  }

  /// Which of `spans` have an end anywhere: whoever found them open before this process has ended them.
  private func endsElsewhere(of spans: [UniqueID]) throws -> Set<UniqueID> {
    var ended: Set<UniqueID> = []
    var rest = spans[...]
    while !rest.isEmpty {
      let some = rest.prefix(256).map(\.description).joined(separator: ", ")
      rest = rest.dropFirst(256)
      let ends = try query("event = \(SpanEvent.ended) span in (\(some))")
      ended.formUnion(ends.records.compactMap(\.span))
    }
    return ended
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
    // What surrounded it then does not hold now.
    entry.tags = record.tags.filter { !$0.key.hasPrefix(AmbientSnapshot.tagPrefix) }
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
