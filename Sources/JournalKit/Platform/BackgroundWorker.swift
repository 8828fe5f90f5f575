/// Repeats one piece of work that nobody waits for, away from the threads that ask for it.
package protocol BackgroundWorker: Sendable {
  /// Has the work done soon, whatever it is doing now. Costs its caller little; may be called by any thread.
  func wake()
  /// Has the work never begin again. It may still be under way when this returns.
  func stop()
}
