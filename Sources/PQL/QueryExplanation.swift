public import SegmentIndex

/// How a query is answered: what is ruled out before anything is read, by which part of it, and what is read then.
public struct QueryExplanation: Sendable {
  /// A part of the condition, all of which a record must satisfy.
  public struct Part: Sendable, Hashable {
    /// The part, as canonical text; `time` stands for all bounds of time.
    public let text: String
    /// Segments that it alone, after the parts before it, rules out.
    public fileprivate(set) var skippedSegmentCount = 0
    /// Granules that it rules out so, those of the segments included.
    public fileprivate(set) var skippedGranuleCount = 0
  }

  /// The query's canonical text.
  public let query: String
  /// The parts, in the order in which they are looked at.
  public private(set) var parts: [Part]
  /// In which order rows are found, and whether that ends early.
  public let order: String
  /// What the run did.
  public let summary: QuerySummary
  /// How many records the segments hold.
  public let recordCount: Int

  fileprivate init(
    _ query: Query, _ bound: BoundQuery, _ parts: [(text: String, condition: Condition)],
    _ segments: [Segment], _ summary: QuerySummary
  ) {
    self.query = query.description
    order = bound.order
    self.summary = summary
    recordCount = segments.reduce(0) { $0 + $1.rowCount }
    self.parts = [Part(text: "time")] + parts.map { Part(text: $0.text) }
    let bounds = bound.condition.timeBounds
    for segment in segments {
      count(segment, parts.map(\.condition), bounds)
    }
  }

  /// Counts what is ruled out of one segment.
  private mutating func count(
    _ segment: Segment, _ conditions: [Condition], _ bounds: TimeBounds
  ) {
    var left = Set(0..<segment.granuleCount)
    func isLeft(_ granule: Int) -> Bool {
      guard let times = try? segment.timeBounds(ofGranule: granule) else { return true }
      return bounds.overlaps(times)
    }
    rule(out: left.filter { !isLeft($0) }, of: &left, by: 0)
    let sessions = SessionTable(segment.sessions)
    for (index, condition) in conditions.enumerated() where !left.isEmpty {
      // What cannot be read rules nothing out.
      guard let scan = try? SegmentScan(segment, condition, sessions) as SegmentScan?? else {
        continue
      }
      rule(out: left.subtracting(scan?.granules ?? []), of: &left, by: index + 1)
    }
  }

  private mutating func rule(out granules: Set<Int>, of left: inout Set<Int>, by part: Int) {
    guard !granules.isEmpty else { return }
    left.subtract(granules)
    parts[part].skippedGranuleCount += granules.count
    if left.isEmpty { parts[part].skippedSegmentCount += 1 }
  }
}

extension QueryExplanation: CustomStringConvertible {
  /// A few lines for a person.
  public var description: String {
    let used = parts.filter { $0.skippedGranuleCount > 0 }
    let idle = parts.dropFirst().filter { $0.skippedGranuleCount == 0 }
    func line(_ title: String, _ total: Int, _ skipped: (Part) -> Int, _ end: String) -> String {
      let parts = used.filter { skipped($0) > 0 }.map { "\($0.text) skipped \(skipped($0))" }
      return "  \(title) \(total)  " + (parts + [end]).joined(separator: " | ")
    }
    let read = summary.segmentCount - summary.skippedSegmentCount
    var lines = [
      "explain: \(query)",
      line("segments", summary.segmentCount, \.skippedSegmentCount, "looked at \(read)"),
      line(
        "granules", summary.granuleCount, \.skippedGranuleCount,
        "read \(summary.scannedGranuleCount)"
          + (summary.readByteCount > 0 ? ", about \(roughSize(summary.readByteCount))" : "")),
      "  records  \(recordCount)  tested \(summary.scannedCount) -> \(summary.matchedCount)",
      "  order    \(order)",
      "  not used \(idle.isEmpty ? "none" : idle.map(\.text).joined(separator: " | "))",
    ]
    for gap in summary.gaps {
      let count = gap.estimatedCount.map { ", about \($0) records not seen" } ?? ""
      let times = gap.timeRange.map { range in
        ", \(TimeZoneRules.utc.text(range.lowerBound)) to \(TimeZoneRules.utc.text(range.upperBound))"
      }
      lines.append("  gap      \(gap.segment): \(gap.cause)\(times ?? "")\(count)")
    }
    return lines.joined(separator: "\n")
  }
}

/// A number of bytes in whole units of 1,000.
private func roughSize(_ bytes: Int) -> String {
  let units = ["B", "KB", "MB", "GB", "TB"]
  var (rest, unit) = (bytes, 0)
  while rest >= 10_000, unit < units.count - 1 { (rest, unit) = ((rest + 500) / 1_000, unit + 1) }
  return "\(rest)\(units[unit])"
}

extension Query {
  /// Runs the query and tells how it was answered. The rows are thrown away.
  ///
  /// - Throws: `Diagnostics`, as `run` does.
  public func explain(
    on snapshot: Snapshot, _ context: QueryContext
  ) throws(Diagnostics) -> QueryExplanation {
    let bound = try bind(to: snapshot.segments, context)
    var catalog = Catalog()
    catalog.add(snapshot.segments)
    var parts: [(text: String, condition: Condition)] = []
    for (text, tree) in tree.conjuncts {
      let condition = try Binder.bind(tree, context, catalog).condition
      // Bounds of time are one part, which stands for itself.
      if condition != .always(true), !condition.isBoundOfTime || !tree.stages.isEmpty {
        parts.append((text, condition))
      }
    }
    let result = try bound.run(
      on: snapshot, RunBudget(context.limits, context.cancellation), context)
    return QueryExplanation(self, bound, parts, snapshot.segments, result.summary)
  }
}

extension Condition {
  fileprivate var isBoundOfTime: Bool { timeBounds != TimeBounds() }
}

extension QueryTree {
  /// The parts of the filter and of the `where` stages that continue it, each as a query of its own.
  fileprivate var conjuncts: [(text: String, tree: QueryTree)] {
    func parts(_ filter: Expression) -> [Expression] {
      if case .and(let parts) = filter.kind { parts } else { [filter] }
    }
    func text(_ part: Expression) -> String { Printer.text(QueryTree(filter: part, stages: [])) }
    var result = parts(filter).map { (text($0), QueryTree(filter: $0, stages: [])) }
    var columns: [Stage] = []
    for stage in stages {
      switch stage.kind {
      case .extend: columns.append(stage)
      case .where(let filter):
        for part in parts(filter) {
          let stages = columns + [Stage(.where(part), stage.range)]
          result.append(
            (text(part), QueryTree(filter: Expression(.everything, 0..<0), stages: stages)))
        }
      default: return result
      }
    }
    return result
  }
}

extension BoundQuery {
  /// In which order rows are found, in a few words.
  fileprivate var order: String {
    switch recordStages.first {
    case .sort:
      let limit = recordStages.dropFirst().first.map { if case .limit = $0 { true } else { false } }
      return limit == true ? "sorted, the first ones kept" : "sorted"
    case .limit: return "time, newest first, stops early"
    case .dedup: return "time, newest first, until no older key can matter"
    case .filter, .trace, .context: return "time, newest first"
    case nil: break
    }
    switch exit {
    case .records: return "time, newest first, stops early"
    case .project: return "time, newest first"
    case .group, .timeline: return "any, into groups"
    case .spans: return "time, newest first, then whole spans"
    }
  }
}
