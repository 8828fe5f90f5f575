import FoundationEssentials
package import JournalKit
package import SegmentIndex
import Synchronization

/// The way of every event from a `Log` to the journal: floor, encoding, stamp, append.
///
/// Everything happens on the thread that logs, before the call returns; there is no queue to lose.
package final class Periscope: Sendable {
  private let journal: LogJournal
  private let clock: WallClock
  /// `minimumLevel`'s severity, apart from it so that a call below it costs a load and a compare.
  private let floor = Atomic<Int32>(.min)
  private let level = Mutex<LogLevel?>(nil)

  package init(journal: LogJournal, clock: WallClock) {
    self.journal = journal
    self.clock = clock
  }

  package var minimumLevel: LogLevel? {
    get { level.withLock { $0 } }
    set {
      level.withLock {
        $0 = newValue
        floor.store(newValue?.severity ?? .min, ordering: .relaxed)
      }
    }
  }

  package func accepts(_ level: LogLevel) -> Bool {
    level.severity >= floor.load(ordering: .relaxed)
  }

  package func emit<Event: LogEvent>(
    _ event: Event, scopes: [ScopeID], tags: [LogTag], site: CallSite
  ) {
    let level = event.level
    guard accepts(level) else { return }
    var record = Record(
      id: UniqueID(bits: 0), time: clock.now(), sequence: 0, session: journal.session.id,
      level: level, event: Event.eventName, message: event.message)
    record.version = Int64(Event.eventVersion)
    record.scopes = scopes.map(\.path)
    record.tags = tags
    record.function = site.function
    record.file = site.file
    record.line = Int64(site.line)
    record.externalID = event.externalID
    if Event.self != Message.self {
      do {
        record.payload = try payload(of: event)
      } catch {
        // Losing the record over its fields would be worse than a record without them.
        record.tags.append(LogTag("periscope.payload_error", .string("\(error)")))
      }
    }
    journal.append(&record)
  }

  /// The event's fields as JSON, with sorted keys: Foundation's own order changes from run to run.
  private func payload(of event: some LogEvent) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    let payload = [UInt8](try encoder.encode(event))
    // What nests deeper than a reader follows would be accepted here and lost later.
    var scanner = JSONScanner(payload.rawSpan)
    _ = try scanner.skipValue()
    return payload
  }
}
