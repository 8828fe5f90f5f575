import JournalKit
public import SegmentIndex
import Synchronization

/// What others want of the process, and whether it is under way.
public struct ProcessState: AmbientEvent, Equatable {
  /// What the process does.
  public enum State: String, Codable, Sendable {
    /// It runs.
    case running
    /// It was asked to end.
    case ending
  }

  /// `ambient.process`.
  public static let eventName = "ambient.process"
  /// `process`.
  public static let ambientKind = "process"

  /// What the process does.
  public var state: State
  /// The signal that says so, such as `SIGTERM`; nil at the start.
  public var signal: String?

  /// An event with these fields.
  public init(state: State, signal: String? = nil) {
    self.state = state
    self.signal = signal
  }

  /// The state.
  public var ambientState: String? { state.rawValue }
  /// Worth noticing.
  public var level: LogLevel { signal == nil ? .info : .notice }
  /// The state in words.
  public var message: String {
    switch (state, signal) {
    case (.running, nil): "the process is running"
    case (.running, let signal?): "the process goes on (\(signal))"
    case (.ending, let signal): "the process was asked to end" + (signal.map { " (\($0))" } ?? "")
    }
  }
}

/// A source that tells of the signals with which others ask the process to end (`SIGTERM`, `SIGINT`, `SIGHUP`, `SIGQUIT`)
/// or to go on (`SIGCONT`).
///
/// Signals still do what they do. A handler that was installed before runs first; one that is installed later should call the
/// one that it finds. Where there is none, the process ends when the record is written.
public final class ProcessSignals: AmbientEventSource {
  private let watch = Mutex<SignalWatch?>(nil)

  /// A source.
  public init() {}

  deinit { stop() }

  /// Begins, and reports that the process runs.
  ///
  /// - Throws: `AmbientError.alreadyStarted`; another error when the system has no room for what it takes.
  public func start(_ report: @escaping @Sendable (any AmbientEvent) -> Void) throws {
    try watch.withLock { watch in
      guard watch == nil else { throw AmbientError.alreadyStarted }
      watch = try SignalWatch { signal in
        report(
          ProcessState(
            state: signal == .goOn ? .running : .ending, signal: signal.rawValue))
      }
    }
    report(ProcessState(state: .running))
  }

  /// Reports nothing more.
  public func stop() {
    watch.withLock { $0.take() }?.end()
  }
}
