import PQL
import SegmentIndex

extension SinkQueue {
  /// Records that wait, each with its place among all of the sink's.
  struct Line {
    private var records: [(record: Record, position: UInt64)] = []
    /// Those before are gone.
    private var head = 0
    private(set) var bytes = 0

    var count: Int { records.count - head }

    mutating func append(_ record: Record, _ position: UInt64) {
      records.append((record, position))
      bytes += record.approximateByteCount
    }

    mutating func removeFirst() -> Record? {
      guard head < records.count else { return nil }
      let record = records[head].record
      // Its texts go now, its place when half of all places are empty.
      records[head].record = Record.nothing
      head += 1
      bytes -= record.approximateByteCount
      if head * 2 > records.count {
        records.removeFirst(head)
        head = 0
      }
      return record
    }

    /// Empties both lines into one, in the order of the positions.
    static func merged(_ left: inout Line, _ right: inout Line) -> [Record] {
      var merged: [Record] = []
      merged.reserveCapacity(left.count + right.count)
      while left.head < left.records.count || right.head < right.records.count {
        if right.head == right.records.count
          || left.head < left.records.count
            && left.records[left.head].position < right.records[right.head].position
        {
          merged.append(left.records[left.head].record)
          left.head += 1
        } else {
          merged.append(right.records[right.head].record)
          right.head += 1
        }
      }
      left = Line()
      right = Line()
      return merged
    }
  }

  /// The scopes that a sink was told.
  struct KnownScopes {
    /// Past this number they are told again.
    private static let limit = 65_536
    private var paths: Set<Value> = []

    /// The scopes of `records` and those above them, as far as they are new; parents first.
    mutating func new(in records: [Record]) -> [ScopeID] {
      if paths.count > Self.limit { paths = [] }
      var new: [ScopeID] = []
      for path in records.lazy.flatMap(\.scopes) { add(path, &new) }
      return new
    }

    private mutating func add(_ path: String, _ new: inout [ScopeID]) {
      guard paths.insert(.string(path)).inserted else { return }
      if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
        add(String(path[..<slash]), &new)
      }
      new.append(ScopeID(path: path))
    }
  }
}

extension LogTag {
  /// The bytes of its texts.
  fileprivate var approximateByteCount: Int {
    switch value {
    case .string(let text), .json(let text): key.utf8.count + text.utf8.count
    case .int, .double, .bool: key.utf8.count
    }
  }
}

extension Record {
  /// About how much memory the record takes.
  fileprivate var approximateByteCount: Int {
    let texts = [event, message, externalID ?? "", exit ?? "", exitReason ?? ""] + scopes
    return MemoryLayout<Record>.size + payload.count
      + texts.reduce(0) { $0 + $1.utf8.count }
      + tags.reduce(0) { $0 + MemoryLayout<LogTag>.size + $1.approximateByteCount }
  }

  fileprivate static let nothing = Record(
    id: UniqueID(bits: 0), time: 0, sequence: 0, session: UniqueID(bits: 0), level: .debug,
    event: "", message: "")
}
