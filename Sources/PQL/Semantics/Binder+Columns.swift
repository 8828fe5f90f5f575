internal import SegmentIndex

/// The parts of stages: columns, keys, aggregates.
extension Binder {
  func sortOrders(_ keys: [SortKey]) -> [BoundQuery.SortOrder] {
    keys.map {
      .init(operand: valueOrBroken($0.expression).operand, isDescending: $0.isDescending)
    }
  }

  /// The value of an expression; one that is wrong is noted.
  func valueOrBroken(_ node: Expression) -> Typed {
    noting(.broken(node.range)) { () throws(Diagnostic) in try value(node) }
  }

  func rowCount(_ count: Int64, _ stage: Stage) throws(Diagnostic) -> Int {
    guard let count = Int(exactly: count), count >= 0 else {
      throw Diagnostic(.valueOutOfRange, "this number of rows is out of range", at: stage.range)
    }
    return count
  }

  /// The computed columns of items. A name that is not given is the expression's text; of a call without
  /// arguments it is the function's name.
  private func columns(of items: [Item]) -> [(name: String, typed: Typed)] {
    var result: [(name: String, typed: Typed)] = []
    for item in items {
      let name = columnName(item)
      guard !result.contains(where: { $0.name.isSameText(as: name) }) else {
        noteDuplicate(name, item)
        continue
      }
      result.append((name, valueOrBroken(item.expression)))
    }
    return result
  }

  private func noteDuplicate(_ name: String, _ item: Item) {
    problems.note(
      Diagnostic(.duplicateColumn, "there are two columns `\(name)`", at: item.range)
        .helping("name one of them: x = ..."))
  }

  private func columnName(_ item: Item) -> String {
    if let name = item.name { return name }
    if case .call(let name, let arguments) = item.expression.kind, arguments.isEmpty { return name }
    return Printer.expression(item.expression)
  }

  /// Columns that replace all others.
  mutating func boundColumns(_ items: [Item]) -> [BoundQuery.Column] {
    let new = columns(of: items)
    replaceColumns(new)
    return new.map { .init(name: $0.name, operand: $0.typed.operand) }
  }

  /// From here on rows have these columns and nothing else.
  private mutating func replaceColumns(_ new: [(name: String, typed: Typed)]) {
    columns = new.enumerated().map { index, column in
      let typed = column.typed
      return (
        column.name,
        Typed(
          operand: .column(index), type: typed.type, range: typed.range, isBroken: typed.isBroken)
      )
    }
  }

  mutating func replaceColumns(_ new: [(name: String, type: ValueType)]) {
    replaceColumns(
      new.map { ($0.name, Typed(operand: .constant(nil), type: $0.type, range: 0..<0)) })
  }

  // MARK: Groups

  mutating func grouping(
    _ items: [Item], by keyItems: [Item]
  ) -> BoundQuery.Grouping {
    let keys = columns(of: keyItems)
    var all = keys
    var aggregates: [BoundQuery.Aggregate] = []
    for item in items {
      let name = columnName(item)
      guard !all.contains(where: { $0.name.isSameText(as: name) }) else {
        noteDuplicate(name, item)
        continue
      }
      do throws(Diagnostic) {
        let (function, argument, type) = try aggregate(item.expression)
        aggregates.append(.init(name: name, function: function, argument: argument))
        all.append((name, Typed(operand: .constant(nil), type: type, range: item.range)))
      } catch {
        problems.note(error)
        all.append((name, .broken(item.range)))
      }
    }
    replaceColumns(all)
    return BoundQuery.Grouping(
      keys: keys.map { .init(name: $0.name, operand: $0.typed.operand) }, aggregates: aggregates,
      timeKey: timeKey(keys))
  }

  /// The first key that is a bin of time.
  private func timeKey(_ keys: [(name: String, typed: Typed)]) -> Int? {
    keys.firstIndex { key in
      if case .bin = key.typed.operand { key.typed.type == .time } else { false }
    }
  }

  private func aggregate(
    _ node: Expression
  ) throws(Diagnostic) -> (AggregateFunction, Operand?, ValueType) {
    guard case .call(let name, let arguments) = node.kind else {
      throw Diagnostic(
        .misplacedAggregate, "`stats` needs aggregates, such as count() or max(duration)",
        at: node.range
      ).helping("compute with the results in `extend`; group by values after `by`")
    }
    let function = try function(name, arguments, node)
    guard case .aggregate(let aggregate) = function.kind else {
      throw Diagnostic(.misplacedAggregate, "`\(name)` is not an aggregate", at: node.range)
        .helping("compute with the results in `extend`; group by values after `by`")
    }
    if aggregate == .rate, !hasRecords {
      throw Diagnostic(
        .needsRecords, "`rate` needs records; rows of a table have no time of their own",
        at: node.range)
    }
    let (argument, type) = try self.argument(of: aggregate, arguments.first, name)
    return (aggregate, argument, type)
  }

  private func argument(
    of function: AggregateFunction, _ node: Expression?, _ name: String
  ) throws(Diagnostic) -> (Operand?, ValueType) {
    guard let node else { return (nil, function == .rate ? .double : .int) }
    if function == .count { return (.truth(try condition(node)), .int) }
    let argument = try value(node)
    switch function {
    case .count, .distinct, .rate: return (argument.operand, .int)
    case .minimum, .maximum, .first, .last: return (argument.operand, argument.type)
    case .sum, .average, .percentile:
      guard argument.type.isNumber || [.duration, .any].contains(argument.type) else {
        throw Diagnostic(
          .wrongArguments,
          "`\(name)` needs a number or a duration, not \(argument.type.phrase)", at: node.range)
      }
      let isMean = function == .average && argument.type.isNumber
      return (argument.operand, isMean ? .double : argument.type)
    }
  }

  mutating func top(
    _ count: Int64, _ keyItems: [Item], _ stage: Stage
  ) -> BoundQuery.Grouping {
    let keys = keys(keyItems, of: stage, without: ["count", "share"])
    var grouping = BoundQuery.Grouping(
      keys: keys.map { .init(name: $0.name, operand: $0.typed.operand) },
      aggregates: [.init(name: "count", function: .count, argument: nil)])
    grouping.topCount = noting(0) { () throws(Diagnostic) in try rowCount(count, stage) }
    replaceColumns(keys + [made("count", .int), made("share", .double)])
    return grouping
  }

  mutating func timeline(
    _ width: Int64?, _ keyItems: [Item], _ stage: Stage
  ) -> BoundQuery.Timeline {
    if let width, width <= 0 {
      problems.note(
        Diagnostic(.valueOutOfRange, "the width of a bin must be above zero", at: stage.range))
    }
    let keys = keys(keyItems, of: stage, without: ["time", "count"])
    replaceColumns([made("time", .time)] + keys + [made("count", .int)])
    return .init(
      width: width, keys: keys.map { .init(name: $0.name, operand: $0.typed.operand) },
      zone: context.zone)
  }

  private func made(_ name: String, _ type: ValueType) -> (name: String, typed: Typed) {
    (name, Typed(operand: .constant(nil), type: type, range: 0..<0))
  }

  /// The keys of a stage that makes columns of the names `reserved` itself.
  private func keys(
    _ items: [Item], of stage: Stage, without reserved: [String]
  ) -> [(name: String, typed: Typed)] {
    let keys = columns(of: items)
    for (key, item) in zip(keys, items) where reserved.contains(key.name) && !key.typed.isBroken {
      problems.note(
        Diagnostic(
          .duplicateColumn, "the stage makes a column `\(key.name)` itself", at: item.range
        ).helping("name the key: x = \(key.name)"))
    }
    return keys
  }
}
