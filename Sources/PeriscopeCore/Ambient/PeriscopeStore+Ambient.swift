extension PeriscopeStore {
  /// Begins to log what `source` reports, in the scope `Ambient`, and to put the states that it tells of on every record as
  /// tags: `ambient.memory`, `ambient.network`, ...
  ///
  /// ```swift
  /// try store.start(AmbientPoller.system(directory: path))
  /// try store.start(ProcessSignals())
  /// ```
  ///
  /// The source is kept, and runs until it is stopped or the store is closed. Then its states are forgotten.
  ///
  /// - Throws: what keeps the source from beginning, such as `AmbientError.alreadyStarted`, and
  ///   `AmbientError.closed`.
  @discardableResult
  public func start(_ source: some AmbientEventSource) throws -> AmbientToken {
    try periscope.ambient.start(source) { [weak periscope] event, number in
      periscope?.report(event, from: number)
    }
  }

  /// Stops a source. Does nothing the second time.
  public func stop(_ source: AmbientToken) {
    periscope.ambient.stop(source)
  }

  /// The newest state of each kind, as it is put on records now.
  public var ambient: AmbientSnapshot { periscope.ambient.snapshot }
}
