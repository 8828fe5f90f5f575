internal import JournalKit
internal import SegmentIndex

/// A line of a logger that Periscope does not know: its members, with nested objects opened, and
/// what they mean. `docs/import.md` has the rules.
struct ForeignLine: ~Escapable {
  /// A member that is not an object with members of its own.
  struct Leaf {
    /// The names of the objects that it is in, outermost first.
    let parents: [String]
    let name: String
    /// The names joined with dots; nil when that is longer than a tag's key may be.
    let key: String?
    let kind: JSONScanner.Kind
    /// Where the value is in the line.
    let range: Range<Int>
    let meaning: ForeignKey?
    /// Whether the value has become a part of the record.
    var isUsed = false
  }

  /// A record has at most this many tags from a line; further members stay in its payload. Each key
  /// is a column of the store, and a line that maps identities to values must not make thousands.
  static let maximumTagCount = 128
  /// Bytes; a longer key stays in the payload.
  static let maximumKeyLength = 256

  let bytes: RawSpan
  private(set) var leaves: [Leaf] = []

  /// Opens the line. `meanings` remembers what keys mean from line to line.
  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, meanings: inout KeyMeanings) throws(JSONError) {
    self.bytes = bytes
    var scanner = JSONScanner(bytes)
    /// The objects that are open below the outermost one.
    var open: [(name: String, prefix: String?, start: Int, leafCount: Int)] = []
    var parents: [String] = []
    try scanner.enterObject()
    while true {
      guard let name = try scanner.nextKey() else {
        guard let closed = open.popLast() else { break }
        parents.removeLast()
        // An object without members is a value too.
        if closed.leafCount == leaves.count {
          let range = closed.start..<scanner.offset
          leaves.append(
            Leaf(
              parents: parents, name: closed.name, key: nil, kind: .object, range: range,
              meaning: nil))
        }
        continue
      }
      let key = Self.key(name, in: open.last.map(\.prefix) ?? "")
      let kind = try scanner.peek()
      if kind == .object {
        open.append((name, key.map { $0 + "." }, scanner.offset, leaves.count))
        parents.append(name)
        try scanner.enterObject()
      } else {
        let range = try scanner.skipValue()
        leaves.append(
          Leaf(
            parents: parents, name: name, key: key, kind: kind, range: range,
            meaning: key.flatMap { meanings[$0] }))
      }
    }
    try scanner.finish()
  }

  private static func key(_ name: String, in prefix: String?) -> String? {
    guard let prefix, prefix.utf8.count + name.utf8.count <= maximumKeyLength else { return nil }
    return prefix.isEmpty ? name : prefix + name
  }

  /// The value of the best member whose role `isRole`, as `read` reads it, among those that it can
  /// read. Others that say the same are used up with it, and so is `null`, which says nothing; what
  /// says something else is left.
  mutating func take<Value>(
    _ isRole: (ForeignKey.Role) -> Bool, _ read: (borrowing ForeignLine, Leaf) -> Value?,
    isSame: (Value, Value) -> Bool
  ) -> Value? {
    var candidates: [(index: Int, rank: Int, value: Value)] = []
    for index in leaves.indices {
      guard let meaning = leaves[index].meaning, isRole(meaning.role) else { continue }
      if leaves[index].kind == .null {
        leaves[index].isUsed = true
      } else if let value = read(self, leaves[index]) {
        candidates.append((index, meaning.rank, value))
      }
    }
    guard let best = candidates.min(by: { $0.rank < $1.rank }) else { return nil }
    for candidate in candidates where isSame(candidate.value, best.value) {
      leaves[candidate.index].isUsed = true
    }
    return best.value
  }

  mutating func take(
    _ role: ForeignKey.Role, _ read: (borrowing ForeignLine, Leaf) -> Int64?
  ) -> Int64? {
    take({ $0 == role }, read, isSame: ==)
  }

  mutating func take(
    _ role: ForeignKey.Role, _ read: (borrowing ForeignLine, Leaf) -> String?
  ) -> String? {
    take({ $0 == role }, read) { $0.isIdentical(to: $1) }
  }
}

/// What keys mean, remembered: a log has few keys and many lines.
struct KeyMeanings {
  private var known: [String: ForeignKey?] = [:]

  subscript(key: String) -> ForeignKey? {
    mutating get {
      // A dictionary of strings takes for one what only looks alike; among ASCII nothing does.
      guard key.utf8.allSatisfy({ $0 < 0x80 }) else { return ForeignKey(path: key) }
      if let meaning = known[key] { return meaning }
      let meaning = ForeignKey(path: key)
      // A log with endless keys must not take endless memory.
      if known.count == 1_024 { known.removeAll(keepingCapacity: true) }
      known[key] = .some(meaning)
      return meaning
    }
  }
}
