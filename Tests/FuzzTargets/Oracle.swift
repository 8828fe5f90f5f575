/// A statement about answers that must hold for every store and every query. None needs to know the right answer:
/// each says how two answers stand to each other, and breaks when one of them is wrong.
package enum Oracle: String, CaseIterable, Sendable {
  /// The executor answers as the reference does.
  case reference
  /// A filter and its negation split the records, their counts, sums and extremes.
  case partition
  /// Counting what a filter finds is counting where it is true of all records.
  case truth
  /// What a query is rewritten to without changing its meaning, or run by another way, has the same answer.
  case rewriting
  /// The same records have the same answer in one segment, in many, and in a segment each.
  case layout
  /// Fewer rows are the first ones of more rows, and every pipeline can end after each of its stages.
  case prefix
  /// Pages joined are the whole.
  case pages
  /// What is followed while it is logged is what a run finds afterwards.
  case follow
  /// With damage the answer is that of the rest, and the gaps are what is lost.
  case damage

  /// Makes a store and `queryCount` queries of the choices, and checks the statement for each.
  package func check(_ choices: Choices, queryCount: Int = 8, recordLimit: Int = 60) throws {
    var store = try OracleStore(choices, recordLimit: recordLimit)
    for _ in 0..<queryCount {
      switch self {
      case .reference: try store.checkReference()
      case .partition: try store.checkPartition()
      case .truth: try store.checkTruth()
      case .rewriting: try store.checkRewriting()
      case .layout: try store.checkLayout()
      case .prefix: try store.checkPrefix()
      case .pages: try store.checkPages()
      case .follow: try store.checkFollow()
      case .damage: try store.checkDamage()
      }
    }
  }
}

extension FuzzTarget {
  /// Each oracle, its store and its queries made of the input, a byte for each choice.
  static let oracles = Oracle.allCases.map { oracle in
    FuzzTarget(name: "oracle-\(oracle.rawValue)") { input in
      try oracle.check(Choices(ByteChoices(input)), queryCount: 8, recordLimit: 30)
    }
  }
}
