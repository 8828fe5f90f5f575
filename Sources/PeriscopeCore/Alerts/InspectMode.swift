import Synchronization

/// Whether somebody looks at the program just now, and who wants to know of it.
final class InspectMode: Sendable {
  private struct State {
    var isOn = false
    var streams: [Int: AsyncStream<Bool>.Continuation] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  deinit {
    for stream in state.withLock({ $0.streams.values.map { $0 } }) { stream.finish() }
  }

  var isOn: Bool {
    get { state.withLock { $0.isOn } }
    set {
      // Told with the lock held, so that nobody ends with the older of two values. It runs nobody's code: a stream whose end
      // calls back ends elsewhere.
      state.withLock { state in
        guard state.isOn != newValue else { return }
        state.isOn = newValue
        for stream in state.streams.values { stream.yield(newValue) }
      }
    }
  }

  /// The value, and what it becomes; who is slow only gets the newest.
  func changes() -> AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastNumber += 1
      state.streams[state.lastNumber] = continuation
      continuation.yield(state.isOn)
      return state.lastNumber
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
    }
    return stream
  }
}

extension PeriscopeStore {
  /// Whether somebody looks at the program's insides just now. The store only keeps it: views that show names of events, debug
  /// panels and the like go by it. False at first.
  public var isInspecting: Bool {
    get { periscope.inspection.isOn }
    set { periscope.inspection.isOn = newValue }
  }

  /// `isInspecting` as it is, and then each time that it changes; who reads slowly gets only the newest.
  public func inspectChanges() -> AsyncStream<Bool> {
    periscope.inspection.changes()
  }
}
