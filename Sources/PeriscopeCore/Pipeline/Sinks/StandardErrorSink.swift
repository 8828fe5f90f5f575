import JournalKit
public import SegmentIndex

/// Writes records to standard error, a line each, for people to read while a program runs.
///
/// ```
/// 2026-09-01T10:00:05.250Z error   Shop/Payments  card declined  user=42  (Shop/Till.swift:88)
/// ```
///
/// Control characters in texts are shown as escapes, so that a record cannot steer the terminal. A stream that is closed
/// costs its lines and nothing else. One that is open and that nobody reads, such as a full pipe, keeps this sink waiting,
/// and with it `flush()` and `remove(_:)`; whoever logs goes on.
public struct StandardErrorSink: LogSink {
  private let write: @Sendable ([UInt8]) -> Void

  /// A sink that writes to standard error.
  public init() {
    write = { _ = StandardError.write($0) }
  }

  package init(_ write: @escaping @Sendable ([UInt8]) -> Void) {
    self.write = write
  }

  /// Writes the records.
  public func receive(_ records: [Record]) {
    var text = ""
    for record in records {
      text += record.lineForPeople
      text += "\n"
      // In pieces, so that many records do not take much memory.
      guard text.utf8.count > 32 << 10 else { continue }
      write(Array(text.utf8))
      text = ""
    }
    if !text.isEmpty { write(Array(text.utf8)) }
  }
}
