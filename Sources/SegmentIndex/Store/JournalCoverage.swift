/// Which entries of journals are known.
///
/// Whoever made a file can have made it of a million stretches, in any order: adding takes O(log² n) for each, and a
/// question for one O(log² n).
package struct JournalCoverage {
  private var runs: [UInt128: [Run]] = [:]

  /// Stretches in order, of which no two overlap.
  private typealias Run = [ClosedRange<UInt64>]

  /// Of each journal the entries up to a sequence.
  package init(_ sequences: [UInt128: UInt64] = [:]) {
    runs = sequences.mapValues { [[0...$0]] }
  }

  /// Adds stretches; those that end before they begin are none.
  package mutating func add(_ sources: [SegmentSource]) {
    var new: [UInt128: Run] = [:]
    for source in sources where source.firstSequence <= source.lastSequence {
      new[source.journal, default: []].append(source.firstSequence...source.lastSequence)
    }
    for (journal, stretches) in new { add(stretches, to: &runs[journal, default: []]) }
  }

  /// Adds a run, together with the last ones, so that each has more stretches than came in all runs behind it: then
  /// there are few, and a stretch is sorted a few times.
  private func add(_ stretches: Run, to runs: inout [Run]) {
    var all = stretches
    while let last = runs.last, last.count <= all.count { all += runs.removeLast() }
    all.sort { $0.lowerBound < $1.lowerBound }
    var run: Run = []
    for stretch in all {
      if let last = run.last, last.upperBound >= stretch.lowerBound {
        run[run.count - 1] = last.lowerBound...max(last.upperBound, stretch.upperBound)
      } else {
        run.append(stretch)
      }
    }
    runs.append(run)
  }

  /// Whether any entry of the stretch is known. One that ends before it begins may be anything.
  package func overlaps(_ source: SegmentSource) -> Bool {
    guard source.firstSequence <= source.lastSequence else { return true }
    return (runs[source.journal] ?? []).contains { run in
      let place = run.indices.partitionPoint { run[$0].upperBound < source.firstSequence }
      return place < run.endIndex && run[place].lowerBound <= source.lastSequence
    }
  }
}
