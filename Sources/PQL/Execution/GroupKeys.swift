/// The keys of groups, each a value for each column of keys, and the numbers of the groups.
///
/// Each column numbers its own values; so a group's key is a few small numbers, and is found by them.
struct GroupKeys {
  /// How many groups there are.
  private(set) var count = 0
  private let limit: Int
  private var columns: [Column]
  /// What the numbers of several columns together are; one less table than there are columns.
  private var pairs: [[UInt64: UInt32]]
  /// For each group the numbers of its values, column by column.
  private(set) var numbers: [UInt32] = []
  /// Whether groups were left out because there were too many.
  private(set) var isCut = false
  /// About how many bytes the values take beyond themselves.
  private(set) var heapByteCount = 0

  /// The values of one column.
  private struct Column {
    var values: [Value?] = []
    var numbers: [Value?: UInt32] = [:]
  }

  /// No groups, of `columnCount` columns.
  init(columnCount: Int, limit: Int) {
    self.limit = limit
    columns = [Column](repeating: Column(), count: columnCount)
    pairs = [[UInt64: UInt32]](repeating: [:], count: max(columnCount, 1))
  }

  /// The number of a value of a column, made if it is new; nil when there is no room for it.
  mutating func number(of value: Value?, column: Int) -> UInt32? {
    if let number = columns[column].numbers[value] { return number }
    guard count < limit else {
      isCut = true
      return nil
    }
    let number = UInt32(columns[column].values.count)
    columns[column].numbers[value] = number
    columns[column].values.append(value?.canonical)
    heapByteCount += value?.heapByteCount ?? 0
    return number
  }

  /// The group of a key, made if it is new; nil when there is no room for it.
  mutating func group(of key: [UInt32]) -> Int? {
    var number: UInt32 = 0
    for (column, part) in key.enumerated() {
      let isLast = column == key.count - 1
      let pair = UInt64(number) << 32 | UInt64(part)
      if let known = pairs[column][pair] {
        number = known
        continue
      }
      guard count < limit else {
        isCut = true
        return nil
      }
      number = isLast ? UInt32(count) : UInt32(pairs[column].count)
      pairs[column][pair] = number
      if isLast {
        numbers += key
        count += 1
      }
    }
    // Without keys there is one group.
    if key.isEmpty { count = 1 }
    return Int(number)
  }

  /// The value of a group's key in one column.
  func value(ofGroup group: Int, column: Int) -> Value? {
    columns[column].values[number(ofGroup: group, column: column)]
  }

  /// The number of that value in its column.
  func number(ofGroup group: Int, column: Int) -> Int {
    Int(numbers[group * columns.count + column])
  }

  /// How many values each column has.
  var valueCounts: [Int] { columns.map(\.values.count) }

  /// Notes that groups were left out.
  mutating func noteCut() {
    isCut = true
  }

  /// For each column and number, the value's place in the order of all values of the column.
  func ranks() -> [[Int]] {
    columns.map { column in
      let order = column.values.indices.sorted {
        Value.order(column.values[$0], column.values[$1]) == .before
      }
      var ranks = [Int](repeating: 0, count: order.count)
      for (rank, number) in order.enumerated() { ranks[number] = rank }
      return ranks
    }
  }
}
