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
    if case .table(let columns, let rows) = rows {
      remarks += incomputable(query, columns, rows)
    }
    query.condition.forEachTest { field, predicate in
      if let remark = otherType(field, predicate, segments) { remarks.append(remark) }
      if let remark = otherCase(field, predicate, segments) { remarks.append(remark) }
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

  /// Names are compared to the byte; says so when there is none like this but one that differs in case.
  private static func otherCase(
    _ field: FieldReference, _ predicate: Predicate, _ segments: [Segment]
  ) -> String? {
    guard case .order(.equal, .string(let text)) = predicate,
      let column = field.columnOfNames
    else { return nil }
    var found: String?
    for segment in segments {
      guard case .terms(let terms)? = try? segment.column(column) else { continue }
      for term in (try? terms.terms) ?? [] {
        for name in term.texts {
          if name.isSameText(as: text) { return nil }
          if name.lowercased() == text.lowercased() { found = min(found ?? name, name) }
        }
      }
    }
    return found.map {
      "\(field.name) is never \(quoted(text)); there is \(quoted($0)), and case matters"
    }
  }

  /// What cannot be computed is missing; says in how many rows it is.
  private static func incomputable(
    _ query: BoundQuery, _ columns: [String], _ rows: TableRows
  ) -> [String] {
    zip(query.computesArithmetic, columns).enumerated().compactMap { index, column in
      let (isArithmetic, name) = column
      let count = isArithmetic ? rows.indices.count { rows[$0, index] == nil } : 0
      guard count > 0 else { return nil }
      return "\(name) is missing in \(count) of \(rows.count) rows, where an operand is missing "
        + "or the result is no number that fits"
    }
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

extension FieldReference {
  /// The column of a field that holds names, which differ by case at most by mistake.
  fileprivate var columnOfNames: SegmentField? {
    switch self {
    case .field(.event): .event
    case .field(.exit): .exit
    case .field(.scope): .scopes
    default: nil
    }
  }
}

extension Term {
  /// The texts of a name, or of a list of names.
  fileprivate var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .list(let texts): texts
    default: []
    }
  }
}

extension BoundQuery {
  /// For each column of the result whether it is a computation that can fail.
  fileprivate var computesArithmetic: [Bool] {
    func none(_ count: Int) -> [Bool] { [Bool](repeating: false, count: count) }
    var flags: [Bool] =
      switch exit {
      case .records: []
      case .project(let columns): columns.map(\.operand.isArithmetic)
      case .group(let grouping): none(grouping.columnNames.count)
      case .timeline(let timeline): none(timeline.keys.count + 2)
      case .spans: none(SpanRows.columns.count)
      }
    for stage in tableStages {
      switch stage {
      case .filter, .sort, .limit: break
      case .extend(let columns): flags += columns.map(\.operand.isArithmetic)
      case .group(let grouping): flags = none(grouping.columnNames.count)
      case .project(let columns):
        flags = columns.map { column in
          if case .column(let index) = column.operand {
            flags[index]
          } else {
            column.operand.isArithmetic
          }
        }
      }
    }
    return flags
  }
}

extension Operand {
  /// Whether it computes with numbers, which can fail.
  fileprivate var isArithmetic: Bool {
    switch self {
    case .arithmetic, .negate: true
    default: false
    }
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
