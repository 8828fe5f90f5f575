/// What the code that runs just now logs to, handed down with its task.
enum LogContext {
  @TaskLocal static var log: Log<Message>?
}

extension Log {
  /// Makes this the `Log.current` of everything that `body` calls.
  ///
  /// Child tasks inherit it, and so do tasks made by `Task { }`. A detached task, a thread or a callback of another
  /// library does not: there it is carried by hand, as a value like any other.
  public func withContext<Result>(_ body: () throws -> Result) rethrows -> Result {
    try LogContext.$log.withValue(retyped(to: Message.self), operation: body)
  }

  /// Makes this the `Log.current` of everything that `body` calls, until it has returned. It runs where its caller
  /// does.
  public func withContext<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await LogContext.$log.withValue(retyped(to: Message.self), operation: body)
  }
}

extension Log where Event == Message {
  /// The log that the nearest `withContext` around this code has set; nil outside of any.
  ///
  /// ```swift
  /// await log(for: request.id).withContext {
  ///   await respond()  // and deep inside of it: Log.current?.info("cache missed")
  /// }
  /// ```
  public static var current: Log<Message>? { LogContext.log }
}
