internal import SegmentIndex

/// One comparison with a constant, checked by the type of what stands left of it.
struct ConstantTest {
  let binder: Binder
  let left: Binder.Typed
  let comparison: Comparison
  /// The bytes of the constant in the query.
  let range: Range<Int>

  func predicate(_ constant: Binder.Constant) throws(Diagnostic) -> Predicate {
    if case .list(let values) = constant.value {
      return .any(
        try values.map { value throws(Diagnostic) in
          try predicate(Binder.Constant(value: value))
        })
    }
    if comparison == .matches { return try match(constant) }
    if comparison == .contains { return try containment(constant) }
    if left.type == .time || constant.moved != nil { return try time(constant) }
    if constant.isPattern { return try pattern(constant.value.description) }
    switch left.type {
    case .level: return try level(constant.value)
    case .uuid: return try identity(constant)
    case .any: return .order(comparison, constant.value)
    case .duration: return try duration(constant.value)
    case .string: return try string(constant.value)
    case .bool, .int, .double, .size, .time:
      guard compares(left.type, binder.type(of: constant.value)) else {
        throw mismatch(constant.value)
      }
      return .order(comparison, constant.value)
    }
  }

  private func compares(_ left: ValueType, _ right: ValueType) -> Bool {
    left == right || left.isNumber && right.isNumber
  }

  private func mismatch(_ value: Value) -> Diagnostic {
    let phrase = binder.type(of: value).phrase
    return Diagnostic(
      .wrongType, "\(left.type.phrase) cannot be compared with \(phrase)", at: range
    ).labelled(phrase)
  }

  // MARK: Texts

  private func containment(_ constant: Binder.Constant) throws(Diagnostic) -> Predicate {
    guard [.string, .any, .level].contains(left.type) else {
      throw Diagnostic(
        .wrongType, "`:` looks into texts; this is \(left.type.phrase)", at: left.range)
    }
    switch constant.value {
    case .string(let text) where constant.moved == nil:
      return .contains(TextSearch(text, isPattern: constant.isPattern))
    case .int(let number): return .contains(TextSearch(String(number)))
    default:
      throw Diagnostic(.wrongType, "`:` needs a text right of it", at: range)
        .helping("quote it")
    }
  }

  private func match(_ constant: Binder.Constant) throws(Diagnostic) -> Predicate {
    guard [.string, .any, .level].contains(left.type) else {
      throw Diagnostic(
        .wrongType, "`~` looks into texts; this is \(left.type.phrase)", at: left.range)
    }
    guard case .string(let text) = constant.value, constant.moved == nil else {
      throw Diagnostic(.wrongType, "`~` needs a regular expression right of it", at: range)
        .helping("quote it: '...'")
    }
    try binder.regexCount.take(at: range)
    do throws(RegexError) {
      return .finds(try RegularExpression(text))
    } catch {
      let code: DiagnosticCode =
        switch error.kind {
        case .syntax: .malformedRegex
        case .unsupported: .unsupportedRegex
        case .limit: .regexTooLarge
        }
      throw Diagnostic(code, error.reason, at: place(of: error.range, in: text))
        .noting("in the regular expression `\(abbreviated(text))`")
    }
  }

  /// The bytes of the query that a part of a constant text stands in: all of the constant when it is not
  /// written letter by letter.
  private func place(of part: Range<Int>, in text: String) -> Range<Int> {
    let count = text.utf8.count
    let quotes = range.count == count + 2 ? 1 : range.count == count ? 0 : nil
    guard let quotes else { return range }
    let start = range.lowerBound + quotes
    return start + part.lowerBound..<start + part.upperBound
  }

  private func pattern(_ pattern: String) throws(Diagnostic) -> Predicate {
    if left.type == .uuid, comparison == .equal { return try identityPrefix(pattern) }
    guard [.string, .any, .level].contains(left.type), comparison == .equal else {
      throw Diagnostic(
        .wrongType, "wildcards work only with `=` and `:`, and only on texts", at: range
      ).helping("quote the text if its * or ? is meant as it is")
    }
    return .matches(Glob(pattern))
  }

  private func string(_ value: Value) throws(Diagnostic) -> Predicate {
    if case .string = value { return .order(comparison, value) }
    let text = quoted(value.description)
    throw mismatch(value).fixing(with: text, "for the text write \(text)")
  }

  // MARK: Numbers, durations, times

  private func duration(_ value: Value) throws(Diagnostic) -> Predicate {
    switch value {
    case .duration: return .order(comparison, value)
    case .int(let number):
      throw Diagnostic(.missingUnit, "a duration needs a unit", at: range)
        .fixing(with: "\(number)s").fixing(with: "\(number)ms")
    case .double:
      throw Diagnostic(.missingUnit, "a duration needs a unit", at: range)
        .noting("the units are ns us ms s m h d w")
    default: throw mismatch(value)
    }
  }

  private func time(_ constant: Binder.Constant) throws(Diagnostic) -> Predicate {
    guard left.type == .time || left.type == .any else {
      throw Diagnostic(
        .wrongType, "\(left.type.phrase) cannot be compared with a time", at: range)
    }
    guard !constant.isPattern else { return try pattern(constant.value.description) }
    if case .duration(let duration) = constant.value, duration > 0 {
      throw future(duration, constant)
    }
    let base: Int64? =
      switch constant.value {
      case .time(let time): time
      case .duration(let duration): binder.context.now.adding(duration)
      case .string(let word) where constant.isWritten: binder.time(named: word)
      default: nil
      }
    guard let base, let time = base.adding(constant.moved ?? 0) else {
      throw Diagnostic(.wrongType, "this is not a time", at: range)
        .helping("write 2026-09-01, 2026-09-01T10:00Z, now, today, yesterday, or -2h")
    }
    return .order(comparison, .time(time))
  }

  /// A duration is counted from now, and what will be logged is not there yet.
  private func future(_ duration: Int64, _ constant: Binder.Constant) -> Diagnostic {
    let (ahead, ago) = (Quantity.durationText(duration), Quantity.durationText(-duration))
    let problem = Diagnostic(.wrongType, "\(ahead) from now is in the future", at: range)
    return constant.isWritten && constant.moved == nil
      ? problem.fixing(with: ago, "for \(ahead) ago write \(ago)")
      : problem.helping("\(ahead) ago is \(ago); for a time ahead write now + \(ahead)")
  }

  // MARK: Levels

  private func level(_ value: Value) throws(Diagnostic) -> Predicate {
    switch value {
    case .int(let severity): return .severity(comparison, severity)
    case .level(let level):
      return comparison == .equal
        ? .order(.equal, value) : .severity(comparison, Int64(level.severity))
    case .string(let name):
      let levels = binder.catalog.levels.filter { Value.textOrder($0.name, name) == .same }
      guard let level = levels.min() else { throw unknownLevel(name) }
      return comparison == .equal
        ? .levelNamed(name) : .severity(comparison, Int64(level.severity))
    default: throw mismatch(value)
    }
  }

  private func unknownLevel(_ name: String) -> Diagnostic {
    let names = binder.catalog.levels.sorted().map(\.name)
    let problem = Diagnostic(.unknownLevel, "there is no level `\(abbreviated(name))`", at: range)
    // The right letters in the wrong case are closer than any edit.
    let folded = names.filter { $0.lowercased() == name.lowercased() }
    return
      (folded.isEmpty
      ? problem.suggesting(name, from: names)
      : problem.fixing(with: folded[0], "did you mean `\(folded[0])`?"))
      .noting("the levels are " + names.joined(separator: " "))
  }

  // MARK: Identities

  private func identity(_ constant: Binder.Constant) throws(Diagnostic) -> Predicate {
    switch constant.value {
    case .uuid: return .order(comparison, constant.value)
    case .string(let text):
      if let id = UniqueID(text) { return .order(comparison, .uuid(id)) }
      if constant.isWritten, isSession, ["current", "previous"].contains(text) {
        return try session(text)
      }
      throw malformedIdentity(text)
    default: throw mismatch(constant.value)
    }
  }

  private var isSession: Bool {
    left.operand == .field(.field(.session)) || left.operand == .field(.field(.sessionID))
  }

  private func session(_ name: String) throws(Diagnostic) -> Predicate {
    let sessions = binder.catalog.sessions.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    let current = binder.context.currentSession ?? sessions.last?.id
    guard let current else {
      throw Diagnostic(.noSuchSession, "the store has no session", at: range)
    }
    guard name == "previous" else { return .order(comparison, .uuid(current)) }
    let index = sessions.lastIndex { $0.id == current } ?? sessions.count
    guard index > 0 else {
      throw Diagnostic(.noSuchSession, "there is no session before the current one", at: range)
    }
    return .order(comparison, .uuid(sessions[index - 1].id))
  }

  /// The identities that begin with the digits before the `*`.
  private func identityPrefix(_ pattern: String) throws(Diagnostic) -> Predicate {
    var bits: UInt128 = 0
    var count = 0
    for scalar in pattern.unicodeScalars.dropLast() where scalar != "-" {
      guard let digit = Character(scalar).hexDigitValue, count < 32 else {
        throw malformedIdentity(pattern)
      }
      bits = bits << 4 | UInt128(digit)
      count += 1
    }
    guard pattern.hasSuffix("*") else { throw malformedIdentity(pattern) }
    let free = UInt128((32 - count) * 4)
    let low = free == 128 ? 0 : bits << free
    let high = low | (free == 128 ? .max : (1 << free) - 1)
    return .identity(UniqueID(bits: low)...UniqueID(bits: high))
  }

  private func malformedIdentity(_ text: String) -> Diagnostic {
    Diagnostic(
      .malformedIdentity, "`\(abbreviated(text))` is not an identity", at: range
    ).helping(
      "write all 32 digits, or the first ones and a *, as in 3f2a9c10-*"
        + (isSession ? "; or current, or previous" : ""))
  }
}
