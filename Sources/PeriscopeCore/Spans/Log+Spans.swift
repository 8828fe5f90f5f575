public import SegmentIndex

// Spans: something that takes time, with a record when it begins and one when it ends. Both have the span's identity as
// their `span`, and so has what the code logs that is measured.
extension Log {
  /// Runs `body`, and logs when it begins and how it ends: `success` when it returns, `failure` with the error when it
  /// throws, `cancelled` when the error is a `CancellationError`.
  ///
  /// ```swift
  /// let photos = try log.measure("import") { try importer.run() }
  /// ```
  ///
  /// A span that `body` measures has this one as its parent.
  ///
  /// - Parameters:
  ///   - level: below the floor, `body` runs and nothing is logged. An end that is a failure is at least a warning.
  ///   - budget: when `body` takes longer, a warning `SpanOverdue` says so while it still runs.
  public func measure<Result, Failure: Error>(
    _ name: Event.SpanName, level: LogLevel = .info, budget: Duration? = nil,
    function: String = #function, file: String = #fileID, line: Int = #line,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let site = CallSite(function: function, file: file, line: line)
    guard let span = beginScoped(name, level, budget, site) else { return try body() }
    let result = SpanContext.$current.withValue(periscope.context(of: span.id)) {
      () -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    periscope.end(span, Self.exit(of: result), site)
    return try result.get()
  }

  /// Runs `body`, and logs when it begins and how it ends, as the other `measure` does; `body` runs where the caller runs.
  public func measure<Result, Failure: Error>(
    _ name: Event.SpanName, level: LogLevel = .info, budget: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation,
    function: String = #function, file: String = #fileID, line: Int = #line,
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let site = CallSite(function: function, file: file, line: line)
    guard let span = beginScoped(name, level, budget, site) else { return try await body() }
    let result = await SpanContext.$current.withValue(
      periscope.context(of: span.id),
      operation: { () async -> Swift.Result<Result, Failure> in
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
      }, isolation: isolation)
    periscope.end(span, Self.exit(of: result), site)
    return try result.get()
  }

  /// Begins a span for one thing, which `end(_:for:exit:)` ends: anywhere, by any log of the same scope.
  ///
  /// When it was begun before and has not ended, that one ends as `superseded`.
  ///
  /// - Parameters:
  ///   - lifetime: how long it may last.
  ///   - relaunch: what becomes of it when the process dies first.
  ///   - level: below the floor neither the begin nor the end is logged, whatever the floor is later.
  /// - Returns: the span's identity; nil when nothing can be logged here.
  @discardableResult
  public func begin(
    _ name: Event.SpanName, for entity: some CustomStringConvertible,
    lifetime: SpanLifetime = .indefinite, relaunch: SpanRelaunchPolicy = .endsWithProcess,
    level: LogLevel = .info,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) -> UniqueID? {
    let plan = SpanPlan(
      name: name.rawValue, entity: entity.description, level: level, lifetime: lifetime,
      survivesRelaunch: relaunch == .survivesRelaunch)
    return periscope.begin(plan, place, CallSite(function: function, file: file, line: line))?.id
  }

  /// Ends the span that was begun for `entity`.
  ///
  /// - Returns: whether there was one. Nothing is logged when there was none.
  @discardableResult
  public func end(
    _ name: Event.SpanName, for entity: some CustomStringConvertible, exit: SpanExit = .success,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) -> Bool {
    let key = SpanRegistry.Key(
      scope: place.paths[0], name: name.rawValue, entity: entity.description)
    return periscope.end(key, exit, CallSite(function: function, file: file, line: line))
  }

  private func beginScoped(
    _ name: Event.SpanName, _ level: LogLevel, _ budget: Duration?, _ site: CallSite
  ) -> SpanRegistry.Entry? {
    guard periscope.floors.accepts(level, at: place.paths) else { return nil }
    return periscope.begin(
      SpanPlan(name: name.rawValue, level: level, budget: budget), place, site)
  }

  private static func exit<Result, Failure: Error>(
    of result: Swift.Result<Result, Failure>
  ) -> SpanExit {
    switch result {
    case .success: .success
    case .failure(let error) where error is CancellationError: .cancelled
    case .failure(let error): .failure(error)
    }
  }
}
