/// Looks at one thing of the program's surroundings.
public struct AmbientProbe: Sendable {
  /// How long to wait from one look to the next.
  let interval: Duration
  /// What is new since the event that was reported last.
  package let look: @Sendable (_ last: (any AmbientEvent)?) -> (any AmbientEvent)?

  /// A probe that looks once in each `interval`, which is at least 100 milliseconds.
  ///
  /// - Parameter look: gets the event that it returned last, and returns another one if that is worth telling, else nil.
  ///   It runs on a thread that all probes share, so it should be quick.
  public init<Event: AmbientEvent>(
    every interval: Duration, _ look: @escaping @Sendable (_ last: Event?) -> Event?
  ) {
    self.interval = max(interval, .milliseconds(100))
    self.look = { look($0 as? Event) }
  }
}
