internal import Synchronization

/// What a part of a run holds of its memory, counted together with what all other parts hold, on whatever threads, for as
/// long as this is there.
final class HeldMemory: Sendable {
  private let budget: RunBudget
  private let byteCount = Atomic<Int>(0)

  /// Nothing yet.
  init(_ budget: RunBudget) {
    self.budget = budget
  }

  deinit { release() }

  /// Whether the run may go on when this part holds so many bytes.
  func allows(_ byteCount: Int) -> Bool {
    budget.hold(byteCount - self.byteCount.exchange(byteCount, ordering: .relaxed))
    return budget.allows()
  }

  /// Gives back what this part held: that is gone, or is counted by another.
  func release() {
    budget.hold(-byteCount.exchange(0, ordering: .relaxed))
  }

  /// Whether the run must stop.
  var isOver: Bool { budget.stop != nil }

  /// Whether the run may go on when this part holds so many bytes more.
  func allows(more byteCount: Int) -> Bool {
    self.byteCount.wrappingAdd(byteCount, ordering: .relaxed)
    budget.hold(byteCount)
    return budget.allows()
  }
}
