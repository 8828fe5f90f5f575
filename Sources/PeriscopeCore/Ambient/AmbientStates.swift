import JournalKit
import SegmentIndex
import Synchronization

/// The sources of a store, and what is known by them.
final class AmbientStates: Sendable {
  private struct Shared {
    var snapshot = AmbientSnapshot()
    var sources: [Int: Source] = [:]
    var lastNumber = 0
    var isClosed = false
  }

  private struct Source {
    let source: any AmbientEventSource
    /// What it told of. When it stops, nobody knows any more.
    var kinds: Set<String> = []
  }

  private let shared = Mutex(Shared())
  /// Whether there is anything to be put on records: without sources that costs one load.
  private let isKnown = Atomic(false)

  deinit { close() }

  var snapshot: AmbientSnapshot { shared.withLock { $0.snapshot } }

  // MARK: Records

  /// Adds the states to a record's tags. A tag that it has already stays.
  func stamp(_ tags: inout [LogTag]) {
    guard isKnown.load(ordering: .relaxed) else { return }
    let states = shared.withLock { $0.snapshot.tags }
    // The array is shared then, and nothing is allocated.
    guard !tags.isEmpty else { return tags = states }
    tags.reserveCapacity(tags.count + states.count)
    for state in states where tags.index(ofKey: state.key) == nil { tags.append(state) }
  }

  /// Changes the state of `kind` as source `number` says; false when that has been stopped. Nil forgets it.
  func set(_ kind: String, _ state: String?, from number: Int) -> Bool {
    change { shared in
      guard shared.sources[number] != nil else { return false }
      shared.sources[number]?.kinds.insert(kind)
      shared.snapshot[kind] = state
      return true
    }
  }

  func isRunning(_ number: Int) -> Bool {
    shared.withLock { $0.sources[number] != nil }
  }

  private func change<Result>(_ body: (inout Shared) -> Result) -> Result {
    shared.withLock { shared in
      defer { isKnown.store(!shared.snapshot.tags.isEmpty, ordering: .relaxed) }
      return body(&shared)
    }
  }

  // MARK: Sources

  func start(
    _ source: any AmbientEventSource,
    _ report: @escaping @Sendable (any AmbientEvent, _ number: Int) -> Void
  ) throws -> AmbientToken {
    // It may report before it has started.
    let number = shared.withLock { shared -> Int? in
      guard !shared.isClosed else { return nil }
      shared.lastNumber += 1
      shared.sources[shared.lastNumber] = Source(source: source)
      return shared.lastNumber
    }
    guard let number else { throw AmbientError.closed }
    do {
      try source.start { report($0, number) }
    } catch {
      _ = take(number)
      throw error
    }
    return AmbientToken(number: number)
  }

  func stop(_ token: AmbientToken) {
    take(token.number)?.stop()
  }

  /// Stops all, and lets none begin any more.
  func close() {
    let numbers = shared.withLock { shared in
      shared.isClosed = true
      return Array(shared.sources.keys)
    }
    for number in numbers { take(number)?.stop() }
  }

  private func take(_ number: Int) -> (any AmbientEventSource)? {
    change { shared in
      guard let source = shared.sources.removeValue(forKey: number) else { return nil }
      let others = shared.sources.values.reduce(into: Set<String>()) { $0.formUnion($1.kinds) }
      for kind in source.kinds.subtracting(others) { shared.snapshot[kind] = nil }
      return source.source
    }
  }
}
