import JournalKit
import SegmentIndex

/// What a thread needs to log: bytes to encode into, and what it is doing just now.
///
/// Logging may run a program's own code (an event's `message` and `encode(to:)`, a `description`, a redaction hook, a
/// sink), and that may log as well. So nothing of this is shared between threads, no lock is held meanwhile, and this
/// says how deep it goes.
final class EmitThread {
  private static let local = ThreadLocal { EmitThread() }

  /// That of the calling thread.
  static var current: EmitThread { local.value }

  /// How many calls of the log may be inside one another: a `description` that logs itself would never end.
  static let depthLimit = 8

  private(set) var depth = 0
  /// Whether a redaction hook runs; what it logs cannot be redacted, and is not logged.
  private(set) var isRedacting = false
  /// Whether a sink runs; what it logs goes to the store and to live streams, and to no sink.
  private(set) var isDelivering = false
  /// Whether whoever waits for a live stream is told, under the locks of those who log: what is logged by that goes to the
  /// store alone, and no span begins or ends.
  private(set) var isYielding = false
  /// The fields of the event that is being logged.
  private(set) var payload = PayloadEncoder(keepsContainers: true)
  private var messageText: TextBuffer?
  /// The journal's entry. No code of the program runs while it is in use.
  let entry = TextBuffer()

  deinit { payload.dropContainers() }

  /// Begins a call of the log; false when there are too many inside one another. Then nothing must be logged.
  func enter() -> Bool {
    guard depth < Self.depthLimit, !isRedacting else { return false }
    depth += 1
    return true
  }

  func leave() {
    depth -= 1
  }

  /// Runs `body` with an encoder that nobody uses.
  func withPayload<Result>(_ body: (PayloadEncoder) -> Result) -> Result {
    guard depth > 1 else { return body(payload) }
    let outer = payload
    payload = PayloadEncoder()
    defer { payload = outer }
    return body(payload)
  }

  /// What a message is put together in; the thread's own, unless one that is being made has it.
  func takeMessageText() -> TextBuffer {
    messageText.take() ?? TextBuffer(capacity: 256)
  }

  func giveBack(_ text: TextBuffer) {
    text.removeAll()
    messageText = text
  }

  func delivering(_ body: () -> Void) {
    let outer = isDelivering
    isDelivering = true
    defer { isDelivering = outer }
    body()
  }

  func yielding(_ body: () -> Void) {
    isYielding = true
    defer { isYielding = false }
    body()
  }

  func redacting<Result>(_ body: () -> Result) -> Result {
    isRedacting = true
    defer { isRedacting = false }
    return body()
  }
}
