internal import SegmentIndex

/// The rows of a table: each has a value for each column, nil where it is missing.
///
/// Where the rows are no more than columns of the store they are kept as columns, texts one after another in one array
/// of bytes, and a value is made when it is asked for. So an answer of many rows takes little memory, and only what is
/// looked at becomes a `Value`. Of several values, `rows[row, column]` makes no array of a row.
public struct TableRows: Sendable {
  /// The rows themselves, unless they are kept by column.
  private let rows: [[Value?]]
  /// Their columns, in parts that follow one another.
  private let parts: [Part]
  /// For each row which one of the parts' it is; nil when that is the same.
  private let order: [Int]?
  /// How many rows there are.
  public let count: Int

  /// Columns of rows of which so many come before.
  private struct Part: Sendable {
    let first: Int
    let columns: [ValueColumn]
  }

  /// These rows, all of the same length.
  public init(_ rows: some Sequence<[Value?]>) {
    self.rows = Array(rows)
    parts = []
    order = nil
    count = self.rows.count
  }

  /// The rows of columns.
  ///
  /// - Parameters:
  ///   - parts: the columns, of at least one row, and how many rows they have.
  ///   - order: for each row which one of the parts' it is; nil when that is the same.
  init(_ parts: [(columns: [ValueColumn], count: Int)], order: [Int]?) {
    var first = 0
    var made: [Part] = []
    for part in parts where part.count > 0 {
      made.append(Part(first: first, columns: part.columns))
      first += part.count
    }
    rows = []
    self.parts = made
    self.order = order
    count = first
  }

  private init(_ other: TableRows, count: Int) {
    rows = other.rows
    parts = other.parts
    order = other.order
    self.count = count
  }

  /// About how many bytes the texts take that are made when all rows are asked for.
  var textByteCount: Int {
    parts.reduce(0) { sum, part in
      part.columns.reduce(sum) { $0 + $1.texts.byteCount + $1.texts.count * 48 }
    }
  }

  /// The value in a column of a row; both must be in range.
  public subscript(row: Int, column: Int) -> Value? {
    precondition(row >= 0 && row < count, "there is no such row")
    if parts.isEmpty { return rows[row][column] }
    let place = order?[row] ?? row
    let part = part(of: place)
    return parts[part].columns[column][place - parts[part].first]
  }

  /// The part that a row is in; there are hardly more than one for each processor.
  private func part(of place: Int) -> Int {
    var part = parts.count - 1
    while parts[part].first > place { part -= 1 }
    return part
  }

  /// The first `maxLength` rows, or all when there are fewer.
  public func prefix(_ maxLength: Int) -> TableRows {
    precondition(maxLength >= 0, "a number of rows is not negative")
    return TableRows(self, count: Swift.min(count, maxLength))
  }
}

extension TableRows: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { count }

  /// A row, which must be in range: one value for each column.
  public subscript(row: Int) -> [Value?] {
    precondition(row >= 0 && row < count, "there is no such row")
    if parts.isEmpty { return rows[row] }
    let place = order?[row] ?? row
    let part = parts[part(of: place)]
    return part.columns.map { $0[place - part.first] }
  }
}

extension TableRows: Equatable {
  /// Whether both have the same values in the same order, however they are kept.
  public static func == (left: TableRows, right: TableRows) -> Bool {
    left.elementsEqual(right)
  }
}

extension TableRows: ExpressibleByArrayLiteral {
  /// These rows.
  public init(arrayLiteral rows: [Value?]...) {
    self.init(rows)
  }
}
