/// A way to keep a log: what is measured, and killed.
package protocol Candidate: SendableMetatype {
  /// The variants that there are, by name.
  static var names: [String] { get }

  /// Opens a new log in `directory`, which exists and is empty.
  static func open(_ name: String, directory: String) throws -> any Appender

  /// Hands out all entries of the log in `directory`, whose writer died. Returns how many places are damaged.
  static func recover(
    _ name: String, directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int
}

/// A log that is open. An entry counts as recorded when `append` returns.
package protocol Appender: Sendable {
  /// May be called by several threads at once. A failure ends the program, since there is nothing to measure then.
  func append(_ payload: [UInt8])
  func close()
}
