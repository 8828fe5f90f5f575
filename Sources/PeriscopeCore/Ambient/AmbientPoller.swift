package import JournalKit
import Synchronization

/// A source that asks its probes now and then, all of them on one thread.
///
/// ```swift
/// try store.start(AmbientPoller(.memoryPressure, .diskSpace(at: "/var/lib/shop")))
/// try store.start(AmbientPoller.system())
/// ```
public final class AmbientPoller: AmbientEventSource {
  fileprivate struct Entry {
    let probe: AmbientProbe
    var last: (any AmbientEvent)?
    /// When it was asked; nil when it was not yet.
    var asked: Int64?
  }

  private struct Run {
    let worker: any BackgroundWorker
    let report: @Sendable (any AmbientEvent) -> Void
  }

  private struct State {
    var entries: [Entry]
    var run: Run?
    var lastNumber = 0
  }

  private let state: Mutex<State>
  private let environment: JournalEnvironment

  /// A source of what `probes` find.
  public convenience init(_ probes: AmbientProbe...) {
    self.init(probes, environment: JournalEnvironment())
  }

  /// A source of all that this platform tells: memory, disk space in `directory`, network, temperature, power supply. What a
  /// machine does not have is not reported.
  public static func system(directory: String = "/") -> AmbientPoller {
    AmbientPoller(.memoryPressure, .diskSpace(at: directory), .network, .temperature, .powerSupply)
  }

  package init(_ probes: [AmbientProbe], environment: JournalEnvironment) {
    state = Mutex(State(entries: probes.map { Entry(probe: $0) }))
    self.environment = environment
  }

  deinit { stop() }

  /// Begins; each probe is asked at once.
  ///
  /// - Throws: `AmbientError.alreadyStarted`.
  public func start(
    _ report: @escaping @Sendable (any AmbientEvent) -> Void
  ) throws {
    let worker = try state.withLock { state in
      guard state.run == nil else { throw AmbientError.alreadyStarted }
      state.lastNumber += 1
      let number = state.lastNumber
      let worker = environment.worker { [weak self] in self?.work(number) }
      for index in state.entries.indices {
        state.entries[index].last = nil
        state.entries[index].asked = nil
      }
      state.run = Run(worker: worker, report: report)
      return worker
    }
    worker.wake()
  }

  /// Ends. A probe that is being asked at this moment reports nothing more.
  public func stop() {
    state.withLock { $0.run.take() }?.worker.stop()
  }

  /// Asks the probes whose turn it is, for the start with this number; returns how long there is nothing to do then.
  private func work(_ number: Int) -> Duration? {
    let now = environment.clock.now()
    for (index, entry) in due(number, now) {
      let event = entry.probe.look(entry.last)
      let run = state.withLock { state -> Run? in
        guard state.lastNumber == number, let run = state.run else { return nil }
        state.entries[index].asked = now
        if let event { state.entries[index].last = event }
        return run
      }
      guard let run else { return nil }
      if let event { run.report(event) }
    }
    return state.withLock { state in
      state.entries.compactMap { $0.pause(at: now) }.min()
    }
  }

  private func due(_ number: Int, _ now: Int64) -> [(Int, Entry)] {
    state.withLock { state in
      guard state.run != nil, state.lastNumber == number else { return [] }
      return state.entries.enumerated().filter { $0.element.pause(at: now) == .zero }
        .map { ($0.offset, $0.element) }
    }
  }
}

extension AmbientPoller.Entry {
  /// How long until the probe's next turn, `.zero` when it is now. A clock that was set back must not keep it waiting.
  fileprivate func pause(at now: Int64) -> Duration {
    guard let asked, now >= asked else { return .zero }
    return max(.zero, probe.interval - .nanoseconds(now - asked))
  }
}
