/// Different values, found by hashes that equal ones have in common. Texts stand one after another in one array of bytes.
///
/// The hash is another in each process: whoever logs must not be able to choose values that all want the same place.
struct HashedValues: Sendable {
  /// Where a value is.
  private struct Entry: Sendable {
    /// The last bits of the value's hash.
    let hash: UInt32
    /// How long the text is; negative for any other value.
    let length: Int32
    /// Where the text begins in `bytes`, or which one of `others` the value is.
    let start: Int
  }

  private var entries: [Entry] = []
  private var bytes: [UInt8] = []
  private var others: [Value] = []
  private var otherByteCount = 0
  /// At the place that a hash names, or the next that is free, the number of its entry, counted from 1; 0 where there is
  /// none. At most half of the places are taken; how many there are is a power of two.
  private var numbers: [UInt32] = []

  var count: Int { entries.count }

  /// About how many bytes this takes.
  var byteCount: Int {
    entries.count * MemoryLayout<Entry>.stride + numbers.count * MemoryLayout<UInt32>.stride
      + bytes.count + otherByteCount
  }

  /// Adds a value; false when it is there.
  mutating func insert(_ value: Value) -> Bool {
    if entries.count * 2 >= numbers.count { grow() }
    let hash = UInt32(truncatingIfNeeded: value.hashValue)
    var place = firstPlace(hash)
    while numbers[place] != 0 {
      let entry = entries[Int(numbers[place]) - 1]
      if entry.hash == hash, self.value(value, isAt: entry) { return false }
      place = (place + 1) & (numbers.count - 1)
    }
    append(value, hash)
    numbers[place] = UInt32(entries.count)
    return true
  }

  /// Calls `body` with each value.
  func forEach(_ body: (Value) -> Void) {
    for entry in entries {
      let start = entry.start
      guard entry.length >= 0 else {
        body(others[start])
        continue
      }
      body(.string(String(decoding: bytes[start..<start + Int(entry.length)], as: UTF8.self)))
    }
  }

  private mutating func append(_ value: Value, _ hash: UInt32) {
    entries.reserveRoom(for: 1)
    if case .string(let text) = value, let length = Int32(exactly: text.utf8.count) {
      entries.append(Entry(hash: hash, length: length, start: bytes.count))
      bytes.reserveRoom(for: Int(length))
      bytes += text.utf8
    } else {
      entries.append(Entry(hash: hash, length: -1, start: others.count))
      others.reserveRoom(for: 1)
      others.append(value)
      otherByteCount += MemoryLayout<Value>.stride + value.heapByteCount
    }
  }

  private func value(_ value: Value, isAt entry: Entry) -> Bool {
    guard entry.length >= 0 else { return others[entry.start] == value }
    guard case .string(let text) = value else { return false }
    let (sought, kept) = (text.utf8.span, bytes.span)
    guard sought.count == Int(entry.length) else { return false }
    for index in sought.indices where sought[index] != kept[entry.start &+ index] { return false }
    return true
  }

  private func firstPlace(_ hash: UInt32) -> Int {
    Int(hash) & (numbers.count - 1)
  }

  private mutating func grow() {
    numbers = [UInt32](repeating: 0, count: max(16, numbers.count * 2))
    for index in entries.indices {
      var place = firstPlace(entries[index].hash)
      while numbers[place] != 0 { place = (place + 1) & (numbers.count - 1) }
      numbers[place] = UInt32(index + 1)
    }
  }
}
