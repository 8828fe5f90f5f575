/// Some of the values of a column of terms, as its granules have them: places in the dictionary.
enum CodeSet {
  /// Those from one to another.
  case range(ClosedRange<UInt32>)
  /// Those of which the table is true.
  case table([Bool])

  func contains(_ value: UInt32) -> Bool {
    switch self {
    case .range(let range): range.contains(value)
    case .table(let table): value < table.count && table[Int(value)]
    }
  }
}
