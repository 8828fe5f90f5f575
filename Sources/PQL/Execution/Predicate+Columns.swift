internal import SegmentIndex

extension Predicate {
  /// The codes that pass, when the predicate names the terms themselves, so that the dictionary need not
  /// be decoded; nil when it does not.
  func exactCodes(
    _ column: TermColumn
  ) throws(SegmentError) -> SegmentFilter.CodeSet? {
    guard let terms = exactTerms else { return nil }
    var codes: [UInt32] = []
    for term in terms {
      if let index = try column.index(of: term) { codes.append(UInt32(index + 1)) }
    }
    guard let first = codes.first else { return SegmentFilter.CodeSet.none }
    if codes.count == 1 { return .range(first...first) }
    var table = [Bool](repeating: false, count: column.termCount + 1)
    for code in codes { table[Int(code)] = true }
    return .table(table)
  }

  /// The only terms that pass; nil when there can be others.
  var exactTerms: [Term]? {
    switch self {
    case .order(.equal, let value):
      switch value {
      case .bool(let value): return [.bool(value)]
      case .string(let text): return [.string(text)]
      case .uuid(let id): return [.identity(id)]
      case .int, .double, .size: return numericTerms(value)
      default: return nil
      }
    case .any(let predicates):
      var terms: [Term] = []
      for predicate in predicates {
        guard let more = predicate.exactTerms else { return nil }
        terms += more
      }
      return terms
    default: return nil
    }
  }

  /// A number's spellings: a whole one can be stored as a double, zero with either sign.
  private func numericTerms(_ value: Value) -> [Term] {
    var terms: [Term] = []
    if case .double(let double) = value {
      guard !double.isNaN else { return [] }
      terms = double == 0 ? [.double(0), .double(-0.0)] : [.double(double)]
      if let whole = Int64(exactly: double) { terms.append(.int(whole)) }
    } else if let whole = value.wholeNumber {
      terms = [.int(whole)]
      if Int64(exactly: Double(whole)) == whole { terms.append(.double(Double(whole))) }
      if whole == 0 { terms.append(.double(-0.0)) }
    }
    return terms
  }

  /// The integers that pass, when they are a range; nil when they are not, or the constant is of a type
  /// that does not compare with the column's.
  func integerRange(_ kind: GranuleReader.IntegerKind) -> ClosedRange<Int64>? {
    guard case .order(let comparison, let constant) = self else { return nil }
    let bound: Int64
    switch (kind, constant) {
    case (.time, .time(let value)), (.duration, .duration(let value)), (.number, .int(let value)),
      (.number, .size(let value)):
      bound = value
    default: return nil
    }
    switch comparison {
    case .equal: return bound...bound
    case .lessOrEqual: return .min...bound
    case .greaterOrEqual: return bound ... .max
    case .less: return bound.adding(-1).map { .min...$0 }
    case .greater: return bound.adding(1).map { $0 ... .max }
    case .contains, .matches: return nil
    }
  }
}
