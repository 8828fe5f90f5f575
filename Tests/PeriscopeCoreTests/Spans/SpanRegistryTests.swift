import PeriscopeCore
import SegmentIndex
import Testing

@Suite struct SpanRegistryTests {
  private func span(_ number: Int, due: Int64? = nil) -> SpanRegistry.Entry {
    var entry = SpanRegistry.Entry(
      id: UniqueID(bits: UInt128(number)), name: "s", paths: ["A"], start: 0, startTick: 0)
    entry.expiry = due
    return entry
  }

  private func begin(_ entry: SpanRegistry.Entry, in registry: inout SpanRegistry) -> Bool {
    let isNew = registry.begin(entry, replacing: nil)
    #expect(isNew)
    return registry.hastenLook(for: entry)
  }

  /// However many spans begin, the watchdog is woken for those alone that are due before it would look anyway.
  @Test func theWatchdogIsWokenOnlyForWhatIsDueFirst() {
    var registry = SpanRegistry()
    /// What is due in each span that begins, and whether that wakes the watchdog.
    func begins(_ dues: [(Int, Int64?)]) -> [Bool] {
      dues.map { begin(span($0, due: $1), in: &registry) }
    }
    #expect(begins([(1, nil)]) == [false])
    var next = registry.planLook()
    #expect(next == nil)
    #expect(begins([(2, 100), (3, 100), (4, 200), (5, 50)]) == [true, false, false, true])
    next = registry.planLook()
    #expect(next == 50)
    var hasEnded = registry.end(UniqueID(bits: 5))
    // It looks at 50 and finds nothing; until then nothing later matters.
    #expect(hasEnded && begins([(6, 60)]) == [false])
    next = registry.planLook()
    #expect(next == 60)
    for number in [2, 3, 4, 6] {
      hasEnded = registry.end(UniqueID(bits: UInt128(number)))
      #expect(hasEnded)
    }
    next = registry.planLook()
    #expect(next == nil)
    #expect(begins([(7, 1_000)]) == [true])
  }

  @Test func whatIsDueComesInTheOrderOfTheBegins() {
    var registry = SpanRegistry()
    for (number, due) in [(1, 30), (2, 10), (3, 20), (4, 40)] as [(Int, Int64)] {
      _ = begin(span(number, due: due), in: &registry)
    }
    let due = registry.due(at: 30).map { due in
      switch due {
      case .expired(let entry), .overdue(let entry): entry.id.bits
      }
    }
    #expect(due == [1, 2, 3])
  }
}
