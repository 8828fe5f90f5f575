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
  /// `recovery` tells of the journals that were just folded. A store that cannot be read leaves the spans open.
  func sweepSpans(of recovery: RecoverySummary) {
    // Whose journal is there, may be alive.
    let names = (try? segments.fileSystem.list(segments.journalsDirectory)) ?? []
    let living = Set(names.compactMap { UniqueID($0) })
    guard let known = try? reader.sessions().map(\.id) else { return }
    let earlier = known.filter { !living.contains($0) }.suffix(Self.sweptSessionCount)
    let folded = recovery.journals.compactMap(\.session?.id)
    for session in Set(earlier + folded).subtracting([session.id]) {
      sweepSpans(of: session, living)
    }
  }

  private func sweepSpans(of session: UniqueID, _ living: Set<UniqueID>) {
    let begins = "(event = \(SpanEvent.began) or event = \(SpanEvent.resumed))"
    guard
      let open = try? query(
        "session = \(session) \(begins) | spans | where open = true | select span"
      ).table?.rows,
      !open.isEmpty,
      let records = try? query("session = \(session) \(begins) | sort sequence").records
    else { return }
    for case .uuid(let span)? in open.map({ $0[0] }) {
      guard let record = records.last(where: { $0.span == span }), !isHeld(span, by: living)
      else { continue }
      let entry = entry(of: record)
      if entry.survivesRelaunch { periscope.resume(entry) } else { periscope.orphan(entry) }
    }
  }

  /// Whether a session that may be alive has made the span its own.
  private func isHeld(_ span: UniqueID, by living: Set<UniqueID>) -> Bool {
    let resumed = try? query("span = \(span) event = \(SpanEvent.resumed)").records
    return resumed?.contains { living.contains($0.session) } ?? true
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
