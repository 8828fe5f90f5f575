internal import SegmentIndex

/// What a person should know about an answer that is right and yet may surprise.
enum QueryRemarks {
  /// Remarks on the answer of a query over segments.
  static func remarks(
    on query: BoundQuery, _ rows: QueryResult.Rows, _ segments: [Segment]
  ) -> [String] {
    var remarks: [String] = []
    if case .records(let records) = rows {
      remarks += absences(query.condition, records)
    }
    query.condition.forEachTest { field, predicate in
      if let remark = otherType(field, predicate, segments) { remarks.append(remark) }
    }
    query.condition.forEachComparison { remarks += unknownTag($0, $1, segments) }
    // One test can stand in a query twice.
    var seen: Set<String> = []
    return remarks.filter { seen.insert($0).inserted }
  }

  /// A negated test keeps records that lack the field; says so when it kept some for that reason.
  private static func absences(_ condition: Condition, _ records: [Record]) -> [String] {
    condition.conjuncts.compactMap { part in
      guard case .not(.test(.field(let field), _)) = part else { return nil }
      let none = SessionTable([])
      let lacking = records.count {
        RecordRow(record: $0, sessions: none).value(of: field) == nil
      }
      guard lacking > 0, !field.isOfSession else { return nil }
      let (name, verb) = (field.name, lacking == 1 ? "lacks" : "lack")
      return "\(lacking) of \(records.count) rows \(verb) \(name); "
        + "to leave them out add `has \(name)`"
    }
  }

  /// A tag compared with a number finds no texts, nor the reverse; says so when there are any that look
  /// the same. The counts come from statistics and are of the whole store.
  private static func otherType(
    _ field: FieldReference, _ predicate: Predicate, _ segments: [Segment]
  ) -> String? {
    guard case .tag(let key) = field, case .order(.equal, let value) = predicate,
      let (term, type, spelling) = twin(of: value)
    else { return nil }
    var count = 0
    for segment in segments {
      guard case .terms(let column)? = try? segment.column(.tag(key)),
        let index = try? column.index(of: term)
      else { continue }
      count += (try? column.rowCount(ofTerm: index)) ?? 0
    }
    guard count > 0 else { return nil }
    let records = count == 1 ? "1 record" : "\(count) records"
    return "\(field.name) is \(type) in \(records); to find those compare with \(spelling)"
  }

  /// `event = tag.added` compares with a tag; when there is none of that name, the text may be meant.
  private static func unknownTag(
    _ left: Operand, _ right: Operand, _ segments: [Segment]
  ) -> [String] {
    guard case .field(.field(let field)) = left, field.type == .string,
      case .field(.tag(let key)) = right,
      !segments.contains(where: { $0.tagKeys.contains(where: key.isSameText) })
    else { return [] }
    let name = FieldReference.tag(key).name
    return ["no record has \(name); to compare \(field.rawValue) with the text quote it"]
  }

  /// The term of the other type that looks like the value, what it is called, and its spelling.
  private static func twin(of value: Value) -> (Term, String, String)? {
    switch value {
    case .int(let number): (.string(String(number)), "a text", quoted(String(number)))
    case .bool(let flag): (.string(flag ? "true" : "false"), "a text", "\"\(flag)\"")
    case .string(let text):
      if case .int(let number)? = NumberText.signedValue(text) {
        (.int(number), "a number", text)
      } else if text == "true" || text == "false" {
        (.bool(text == "true"), "a truth value", text)
      } else {
        nil
      }
    default: nil
    }
  }
}

extension FieldReference {
  /// Whether its value depends on what is known of sessions.
  fileprivate var isOfSession: Bool {
    if case .field(let field) = self { field.isOfSession } else { false }
  }
}

extension Condition {
  /// Calls `body` with every test of a field against a constant.
  fileprivate func forEachTest(_ body: (FieldReference, Predicate) -> Void) {
    switch self {
    case .test(.field(let field), .any(let predicates)):
      for predicate in predicates { body(field, predicate) }
    case .test(.field(let field), let predicate): body(field, predicate)
    case .not(let inner): inner.forEachTest(body)
    case .and(let parts), .or(let parts): for part in parts { part.forEachTest(body) }
    case .always, .test, .compare, .has: break
    }
  }

  /// Calls `body` with both sides of every comparison of two computed values.
  fileprivate func forEachComparison(_ body: (Operand, Operand) -> Void) {
    switch self {
    case .compare(let left, _, let right): body(left, right)
    case .not(let inner): inner.forEachComparison(body)
    case .and(let parts), .or(let parts): for part in parts { part.forEachComparison(body) }
    case .always, .test, .has: break
    }
  }
}
