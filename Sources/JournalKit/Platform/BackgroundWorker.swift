/// Repeats one piece of work that nobody waits for, away from the threads that ask for it.
package protocol BackgroundWorker: Sendable {
  /// Has the work done soon, whatever it is doing now. Costs its caller little; may be called by any thread. False when
  /// it will not be done, for want of a thread.
  @discardableResult
  func wake() -> Bool
  /// Has the work never begin again. It may still be under way when this returns.
  func stop()
}
