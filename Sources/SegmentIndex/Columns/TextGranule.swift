internal import JournalKit

/// The texts of a granule, one after another in one array of bytes.
public struct TextGranule: Sendable {
  /// All texts. Between `starts[i]` and `starts[i + 1]` is that of row `i`.
  package internal(set) var bytes: [UInt8] = []
  /// Where each text begins, and where the last one ends.
  package internal(set) var starts: [Int] = [0]

  /// No texts.
  public init() {}

  /// How many rows there are.
  public var count: Int { starts.count - 1 }

  /// How many bytes this takes in memory.
  package var byteCount: Int { bytes.count + starts.count * MemoryLayout<Int>.stride }

  /// Where the text of row `row` is in `bytes`.
  package func range(of row: Int) -> Range<Int> {
    starts[row]..<starts[row + 1]
  }

  /// The text of row `row`, counted from the granule's first.
  package subscript(row: Int) -> RawSpan {
    @_lifetime(borrow self)
    get { bytes.rawSpan.extracting(starts[row]..<starts[row + 1]) }
  }

  /// The text of row `row`; sequences that are not valid UTF-8 become U+FFFD.
  public func text(of row: Int) -> String {
    self[row].repairedString()
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    starts.append(0)
  }

  /// Appends texts of together at most `limit` bytes: `body` writes them over what is behind the first `end` bytes, moves
  /// that along, and appends where each of them ends. What `body` returns.
  @inline(__always)
  mutating func append(
    atMost limit: Int,
    _ body: (_ output: inout MutableSpan<UInt8>, _ end: inout Int, _ starts: inout [Int]) -> Bool
  ) -> Bool {
    var end = bytes.count
    // Short copies may write a little more than they should.
    bytes.append(contentsOf: repeatElement(0, count: limit + 16))
    // Taken out, for both cannot be changed at once.
    var starts = starts
    self.starts = []
    var output = bytes.mutableSpan
    let isDone = body(&output, &end, &starts)
    self.starts = starts
    bytes.removeLast(bytes.count - end)
    return isDone
  }

  /// About as many bytes as messages have.
  private static let usualByteCount = 96

  /// Makes room for so many texts of 96 bytes.
  package mutating func reserveCapacity(_ rowCount: Int) {
    bytes.reserveCapacity(rowCount * Self.usualByteCount)
    starts.reserveCapacity(rowCount + 1)
  }

  mutating func appendEmpty(_ count: Int) {
    starts.append(contentsOf: repeatElement(bytes.count, count: count))
  }
}
