/// Counts of a `timeline`: rows per bin of time and key, with a row for every bin in which nothing
/// happened.
struct TimelineCounts {
  private let timeline: BoundQuery.Timeline
  private let width: Int64
  /// The times that the query searched; empty bins are shown between them.
  private let searched: ClosedRange<Int64>?
  private let limits: QueryLimits
  /// The most rows that empty bins may make of it, each of which takes memory before any is cut.
  static let rowLimit = 100_000
  /// Where the rows are counted.
  var groups: GroupTable

  init(
    _ timeline: BoundQuery.Timeline, searched: ClosedRange<Int64>?, _ limits: QueryLimits,
    _ budget: RunBudget
  ) {
    self.timeline = timeline
    self.searched = searched
    self.limits = limits
    width = timeline.width ?? Self.width(for: searched)
    let bin = BoundQuery.Column(
      name: "time",
      operand: .bin(.field(.field(.time)), .constant(.duration(width)), timeline.zone))
    groups = GroupTable(
      BoundQuery.Grouping(
        keys: [bin] + timeline.keys,
        aggregates: [.init(name: "count", function: .count, argument: nil)], timeKey: 0),
      limit: limits.groupCount, budget)
  }

  /// The smallest of the usual widths that needs at most sixty bins.
  static func width(for searched: ClosedRange<Int64>?) -> Int64 {
    var length: Int64 = 0
    if let searched {
      let (difference, overflow) = searched.upperBound.subtractingReportingOverflow(
        searched.lowerBound)
      length = overflow ? .max : difference
    }
    let second = nanosecondsPerSecond
    let milliseconds: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    let seconds: [Int64] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
      86_400, 604_800, 2_419_200,
    ]
    let widths = milliseconds.map { $0 * 1_000_000 } + seconds.map { $0 * second }
    return widths.first { length / $0 < 60 } ?? 31_449_600 * second
  }

  // MARK: Result

  /// The bins in order of time: for each the keys that occur anywhere, counted.
  func table(_ summary: inout QuerySummary) -> Table {
    let table = groups.table(&summary)
    let (columns, counted) = (table.columns, table.rows)
    guard let bins else {
      summary.noteCut("there are more than \(limits.binCount) bins; empty ones are not shown")
      return table
    }
    let keys = distinctKeys(counted)
    guard keys.count <= Self.rowLimit / max(bins.count, 1) else {
      summary.noteCut("there are more than \(Self.rowLimit) empty bins; they are not shown")
      return table
    }
    var rows: [[Value?]] = []
    var next = 0
    for bin in bins {
      var present: Set<[Value?]> = []
      while next < counted.count, counted[next][0] == .time(bin) {
        present.insert(key(of: counted[next]))
        rows.append(counted[next])
        next += 1
      }
      for key in keys where !present.contains(key) {
        rows.append([.time(bin)] + key + [.int(0)])
      }
    }
    // What was counted is never left out, whatever its bin.
    rows += counted[next...]
    return Table(columns: columns, rows: rows)
  }

  /// A row's keys, without the bin.
  private func key(of row: [Value?]) -> [Value?] {
    Array(row[1..<1 + timeline.keys.count])
  }

  private func distinctKeys(_ counted: [[Value?]]) -> [[Value?]] {
    guard !timeline.keys.isEmpty else { return [[]] }
    let keys = Set(counted.map(key))
    return keys.sorted { left, right in
      for (left, right) in zip(left, right) {
        let order = Value.order(left, right)
        if order != .same { return order == .before }
      }
      return false
    }
  }

  /// The starts of all bins; nil when there are too many.
  private var bins: [Int64]? {
    guard let searched, let last = timeline.zone.bin(of: searched.upperBound, width: width),
      var bin = timeline.zone.bin(of: searched.lowerBound, width: width)
    else { return [] }
    var bins = [bin.lowerBound]
    while bin.lowerBound < last.lowerBound {
      guard bins.count < limits.binCount,
        let next = timeline.zone.bin(of: bin.upperBound, width: width),
        next.lowerBound > bin.lowerBound
      else { return nil }
      bin = next
      bins.append(bin.lowerBound)
    }
    return bins
  }
}
