/// A stream of text to a descriptor, or to wherever a test wants it.
package final class Output: TextOutputStream {
  package let isTerminal: Bool
  /// Columns.
  package let width: Int
  private let isBuffered: Bool
  private let sink: ([UInt8]) -> Bool
  private var buffer: [UInt8] = []
  /// Whether everything so far could be written.
  package private(set) var isIntact = true

  package init(
    isTerminal: Bool = false, width: Int = 80, isBuffered: Bool = true,
    sink: @escaping ([UInt8]) -> Bool
  ) {
    self.isTerminal = isTerminal
    self.width = width
    self.isBuffered = isBuffered
    self.sink = sink
  }

  /// A stream to an open descriptor.
  package convenience init(descriptor: Int32, isBuffered: Bool) {
    self.init(
      isTerminal: pql_repl.isTerminal(descriptor), width: terminalWidth(descriptor),
      isBuffered: isBuffered
    ) { writeAll($0, to: descriptor) }
  }

  package func write(_ text: String) {
    write(utf8: Array(text.utf8))
  }

  package func write(utf8 bytes: [UInt8]) {
    buffer += bytes
    if !isBuffered || buffer.count >= 1 << 16 { flush() }
  }

  package func line(_ text: String = "") {
    write(text + "\n")
  }

  package func flush() {
    guard !buffer.isEmpty else { return }
    isIntact = sink(buffer) && isIntact
    buffer.removeAll(keepingCapacity: true)
  }
}
