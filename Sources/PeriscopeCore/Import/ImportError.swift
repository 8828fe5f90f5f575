/// Why a line of a foreign log could not become a record.
package struct ImportError: Error, Equatable, Sendable {
  /// The number of the line in its source, from 1.
  package let line: Int
  /// The offset, in bytes from the start of the line, of what is wrong.
  package let offset: Int
  /// What is wrong, as a sentence without a full stop.
  package let reason: String

  package init(line: Int, offset: Int, reason: String) {
    self.line = line
    self.offset = offset
    self.reason = reason
  }
}

extension ImportError: CustomStringConvertible {
  package var description: String { "\(line):\(offset + 1): \(reason)" }
}
