internal import Synchronization

/// Something that makes look-ups in a column faster, made when it is asked for the third time: for the first two that ask,
/// as one query does, it would cost more than it saves.
struct LookupAid<Value: Sendable>: ~Copyable, Sendable {
  private let state = Mutex<(askedCount: Int, value: Value?)>((0, nil))

  /// What `make` has made; nil for the first two.
  func value<E: Error>(_ make: () throws(E) -> Value) throws(E) -> Value? {
    let (askedCount, known) = state.withLock { state in
      if state.value == nil { state.askedCount += 1 }
      return state
    }
    guard known == nil, askedCount >= 3 else { return known }
    // Two threads may both make it, and neither waits for the other.
    let made = try make()
    state.withLock { $0.value = made }
    return made
  }
}
