internal import SegmentIndex

/// Gives every name of a query its meaning and checks the types: a tree becomes a `BoundQuery`.
///
/// What a name means depends on the stage it stands in. Before the first stage that makes rows it is a
/// field of the record or a column that `extend` computed, which is written out in place; after it, it is
/// a column of the table.
package struct Binder {
  let context: QueryContext
  let catalog: Catalog
  /// The names that mean something in the current stage, besides the record's fields.
  var columns: [(name: String, typed: Typed)] = []
  /// Whether rows are still records.
  var hasRecords = true
  /// How many of the columns a stage has added to the records themselves.
  var madeCount = 0
  /// Whether a stage failed in a way that leaves open which columns there are.
  var columnsAreUnknown = false
  let problems = ProblemList()
  let regexCount = RegexCount()

  /// An operand with what is known of it.
  struct Typed {
    let operand: Operand
    let type: ValueType
    /// The bytes of the expression in the query.
    let range: Range<Int>
    /// Whether what it was to be is wrong; what uses it says nothing about that again.
    var isBroken = false

    /// What stands for an expression that is wrong.
    static func broken(_ range: Range<Int>) -> Typed {
      Typed(operand: .constant(nil), type: .any, range: range, isBroken: true)
    }
  }

  /// Binds `tree` to the context's time, zone, parameters and sessions.
  package static func bind(
    _ tree: QueryTree, _ context: QueryContext, _ catalog: Catalog
  ) throws(Diagnostics) -> BoundQuery {
    var binder = Binder(context: context, catalog: catalog)
    var query = BoundQuery(condition: .always(true))
    query.condition = binder.noting(.always(true)) { () throws(Diagnostic) in
      try binder.condition(tree.filter)
    }
    for stage in tree.stages {
      do throws(Diagnostic) {
        if binder.hasRecords {
          try binder.bindOnRecords(stage, &query)
        } else {
          try binder.bindOnTable(stage, &query)
        }
      } catch {
        binder.problems.note(error)
      }
    }
    let problems = binder.problems.all.sorted { $0.range.lowerBound < $1.range.lowerBound }
    guard problems.isEmpty else { throw Diagnostics(problems) }
    binder.finish(&query)
    return query
  }

  /// What `body` makes. When it fails the problem is noted, and `fallback` lets binding go on.
  func noting<Result>(
    _ fallback: Result, _ body: () throws(Diagnostic) -> Result
  ) -> Result {
    do throws(Diagnostic) {
      return try body()
    } catch {
      problems.note(error)
      return fallback
    }
  }

  /// Records that gained columns end as rows: the columns a reader of logs wants first, then the new.
  private func finish(_ query: inout BoundQuery) {
    guard hasRecords, !columns.isEmpty else { return }
    let usual: [Field] = [.time, .level, .event, .scope, .message]
    query.exit = .project(
      usual.map { .init(name: $0.rawValue, operand: .field(.field($0))) }
        + columns.map { .init(name: $0.name, operand: $0.typed.operand) })
  }

  // MARK: Names

  /// The operand that a path means.
  func resolve(_ path: Path) throws(Diagnostic) -> Typed {
    let name = Printer.text(path)
    if let column = column(named: name) {
      guard !column.isBroken else { throw .consequence(at: path.range) }
      return Typed(operand: column.operand, type: column.type, range: path.range)
    }
    guard !columnsAreUnknown else { throw .consequence(at: path.range) }
    guard hasRecords else { throw unknownColumn(name, path) }
    guard let reference = try fieldReference(path) else { throw unknownField(name, path) }
    return Typed(operand: .field(reference), type: reference.type, range: path.range)
  }

  func column(named name: String) -> Typed? {
    columns.last { $0.name.isSameText(as: name) }?.typed
  }

  private func fieldReference(_ path: Path) throws(Diagnostic) -> FieldReference? {
    guard case .name(let first) = path.segments[0] else { return nil }
    let rest = path.segments.dropFirst()
    switch first {
    case "tag":
      var names: [String] = []
      for case .name(let name) in rest { names.append(name) }
      guard !names.isEmpty, names.count == rest.count else {
        throw Diagnostic(.unknownField, "a tag needs its name", at: path.range)
          .helping("write tag.NAME, or tag.\"odd name\"")
      }
      return .tag(names.dropFirst().reduce(names[0]) { $0 + "." + $1 })
    case "payload" where !rest.isEmpty: return .payload(Array(rest))
    default: return Field(rawValue: Printer.text(path)).map(FieldReference.field)
    }
  }

  private func unknownField(_ name: String, _ path: Path) -> Diagnostic {
    let known = Field.allCases.map(\.rawValue) + columns.map(\.name)
    var problem = Diagnostic(
      .unknownField, "there is no field `\(abbreviated(name))`", at: path.range)
    let tags =
      catalog.tagKeys.contains(name) ? [name] : nearestNames(to: name, in: catalog.tagKeys)
    let fields = catalog.tagKeys.contains(name) ? [] : nearestNames(to: name, in: known)
    for name in fields + tags.map({ FieldReference.tag($0).name }) {
      problem = problem.fixing(with: name, "did you mean `\(name)`?")
    }
    return problem.noting("tags are tag.NAME, places in the payload payload.NAME")
  }

  private func unknownColumn(_ name: String, _ path: Path) -> Diagnostic {
    Diagnostic(.unknownField, "there is no column `\(abbreviated(name))`", at: path.range)
      .suggesting(name, from: columns.map(\.name))
      .noting("the columns here are " + columns.map(\.name).joined(separator: ", "))
  }

  /// The value that the caller bound to `$name`.
  func parameter(_ name: String, _ range: Range<Int>) throws(Diagnostic) -> Value {
    if let bound = context.parameters.first(where: { $0.key.isSameText(as: name) }) {
      return bound.value
    }
    throw Diagnostic(.unboundParameter, "the parameter `$\(name)` has no value", at: range)
      .suggesting("$" + name, from: context.parameters.keys.map { "$" + $0 })
  }
}
