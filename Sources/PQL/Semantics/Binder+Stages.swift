internal import SegmentIndex

// MARK: Stages on records

extension Binder {
  mutating func bindOnRecords(_ stage: Stage, _ query: inout BoundQuery) throws(Diagnostic) {
    switch stage.kind {
    case .where(let filter):
      let condition = try boundedCondition(filter)
      // As long as nothing depends on which records there are, one condition is enough.
      if query.recordStages.isEmpty {
        query.condition = .all([query.condition, condition])
      } else {
        query.recordStages.append(.filter(condition))
      }
    case .sort(let keys): query.recordStages.append(.sort(try sortOrders(keys)))
    case .limit(let count): query.recordStages.append(.limit(try rowCount(count, stage)))
    case .dedup(let keys):
      var operands: [Operand] = []
      for key in keys { operands.append(try value(key.expression).operand) }
      query.recordStages.append(.dedup(operands))
    case .extend(let items):
      for item in items { try addColumn(item) }
    case .select(let items):
      query.exit = .project(try boundColumns(items))
      hasRecords = false
    case .stats(let aggregates, let keys):
      query.exit = .group(try grouping(aggregates, by: keys))
      hasRecords = false
    case .top(let count, let keys):
      query.exit = .group(try top(count, keys, stage))
      hasRecords = false
    case .timeline(let width, let keys):
      query.exit = .timeline(try timeline(width, keys, stage))
      hasRecords = false
    case .spans, .trace, .context: throw notSupported(stage)
    }
  }

  /// `extend` on records: the column is written out wherever it is used.
  private mutating func addColumn(_ item: Item) throws(Diagnostic) {
    let name = item.name ?? Printer.expression(item.expression)
    guard Field(rawValue: name) == nil, name != "tag" else {
      throw Diagnostic(
        .duplicateColumn, "`\(name)` is a field and cannot be overwritten", at: item.range)
    }
    guard column(named: name) == nil else {
      throw Diagnostic(
        .duplicateColumn, "there is already a column `\(name)`", at: item.range)
    }
    let typed = try value(item.expression)
    columns.append((name, typed))
  }

  private func notSupported(_ stage: Stage) -> Diagnostic {
    Diagnostic(.notSupported, "this version cannot run this stage yet", at: stage.range)
  }
}

// MARK: Stages on rows

extension Binder {
  mutating func bindOnTable(_ stage: Stage, _ query: inout BoundQuery) throws(Diagnostic) {
    switch stage.kind {
    case .where(let filter): query.tableStages.append(.filter(try boundedCondition(filter)))
    case .sort(let keys): query.tableStages.append(.sort(try sortOrders(keys)))
    case .limit(let count): query.tableStages.append(.limit(try rowCount(count, stage)))
    case .select(let items):
      query.tableStages.append(.project(try boundColumns(items)))
    case .extend(let items):
      for item in items {
        let name = item.name ?? Printer.expression(item.expression)
        guard column(named: name) == nil else {
          throw Diagnostic(
            .duplicateColumn, "there is already a column `\(name)`", at: item.range)
        }
        let typed = try value(item.expression)
        query.tableStages.append(.extend([.init(name: name, operand: typed.operand)]))
        columns.append(
          (name, Typed(operand: .column(columns.count), type: typed.type, range: typed.range)))
      }
    case .stats(let aggregates, let keys):
      query.tableStages.append(.group(try grouping(aggregates, by: keys)))
    case .top(let count, let keys):
      query.tableStages.append(.group(try top(count, keys, stage)))
    case .spans, .trace, .context: throw notSupported(stage)
    case .dedup, .timeline:
      throw Diagnostic(
        .needsRecords, "this stage needs records, and the stages before it made rows of them",
        at: stage.range)
    }
  }
}

// MARK: Parts of stages

extension Binder {
  private func sortOrders(_ keys: [SortKey]) throws(Diagnostic) -> [BoundQuery.SortOrder] {
    var orders: [BoundQuery.SortOrder] = []
    for key in keys {
      orders.append(
        .init(operand: try value(key.expression).operand, isDescending: key.isDescending))
    }
    return orders
  }

  private func rowCount(_ count: Int64, _ stage: Stage) throws(Diagnostic) -> Int {
    guard let count = Int(exactly: count), count >= 0 else {
      throw Diagnostic(.valueOutOfRange, "this number of rows is out of range", at: stage.range)
    }
    return count
  }

  /// The computed columns of items. A name that is not given is the expression's text; of a call without
  /// arguments it is the function's name.
  private func columns(
    of items: [Item]
  ) throws(Diagnostic) -> [(column: BoundQuery.Column, type: ValueType)] {
    var result: [(column: BoundQuery.Column, type: ValueType)] = []
    for item in items {
      let name = columnName(item)
      guard !result.contains(where: { $0.column.name.isSameText(as: name) }) else {
        throw Diagnostic(.duplicateColumn, "there are two columns `\(name)`", at: item.range)
          .helping("name one of them: x = ...")
      }
      let typed = try value(item.expression)
      result.append((.init(name: name, operand: typed.operand), typed.type))
    }
    return result
  }

  private func columnName(_ item: Item) -> String {
    if let name = item.name { return name }
    if case .call(let name, let arguments) = item.expression.kind, arguments.isEmpty { return name }
    return Printer.expression(item.expression)
  }

  /// Columns that replace all others.
  private mutating func boundColumns(_ items: [Item]) throws(Diagnostic) -> [BoundQuery.Column] {
    let new = try columns(of: items)
    replaceColumns(new.map { ($0.column.name, $0.type) })
    return new.map(\.column)
  }

  /// From here on rows have these columns and nothing else.
  private mutating func replaceColumns(_ new: [(name: String, type: ValueType)]) {
    columns = new.enumerated().map { index, column in
      (column.name, Typed(operand: .column(index), type: column.type, range: 0..<0))
    }
  }

  // MARK: Groups

  private mutating func grouping(
    _ items: [Item], by keyItems: [Item]
  ) throws(Diagnostic) -> BoundQuery.Grouping {
    let keys = try columns(of: keyItems)
    var names = keys.map(\.column.name)
    var aggregates: [BoundQuery.Aggregate] = []
    var types: [ValueType] = []
    for item in items {
      let (aggregate, type) = try self.aggregate(item)
      guard !names.contains(where: aggregate.name.isSameText) else {
        throw Diagnostic(
          .duplicateColumn, "there are two columns `\(aggregate.name)`", at: item.range
        ).helping("name one of them: x = ...")
      }
      names.append(aggregate.name)
      aggregates.append(aggregate)
      types.append(type)
    }
    let grouping = BoundQuery.Grouping(
      keys: keys.map(\.column), aggregates: aggregates, timeKey: timeKey(keys))
    replaceColumns(
      keys.map { ($0.column.name, $0.type) } + zip(aggregates, types).map { ($0.name, $1) })
    return grouping
  }

  /// The first key that is a bin of time.
  private func timeKey(_ keys: [(column: BoundQuery.Column, type: ValueType)]) -> Int? {
    keys.firstIndex { key in
      if case .bin = key.column.operand { key.type == .time } else { false }
    }
  }

  private func aggregate(
    _ item: Item
  ) throws(Diagnostic) -> (BoundQuery.Aggregate, ValueType) {
    guard case .call(let name, let arguments) = item.expression.kind else {
      throw Diagnostic(
        .misplacedAggregate, "`stats` needs aggregates, such as count() or max(duration)",
        at: item.expression.range
      ).helping("compute with the results in `extend`; group by values after `by`")
    }
    let function = try function(name, arguments, item.expression)
    guard function.isAvailable else {
      throw Diagnostic(
        .notSupported, "this version cannot compute `\(name)` yet", at: item.expression.range)
    }
    guard case .aggregate(let aggregate) = function.kind else {
      throw Diagnostic(
        .misplacedAggregate, "`\(name)` is not an aggregate", at: item.expression.range
      ).helping("compute with the results in `extend`; group by values after `by`")
    }
    let (argument, type) = try self.argument(of: aggregate, arguments.first, name)
    return (.init(name: columnName(item), function: aggregate, argument: argument), type)
  }

  private func argument(
    of function: AggregateFunction, _ node: Expression?, _ name: String
  ) throws(Diagnostic) -> (Operand?, ValueType) {
    guard let node else { return (nil, .int) }
    if function == .count { return (.truth(try condition(node)), .int) }
    let argument = try value(node)
    switch function {
    case .count, .distinct: return (argument.operand, .int)
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

  private mutating func top(
    _ count: Int64, _ keyItems: [Item], _ stage: Stage
  ) throws(Diagnostic) -> BoundQuery.Grouping {
    let keys = try columns(of: keyItems)
    for (key, item) in zip(keys, keyItems) where ["count", "share"].contains(key.column.name) {
      throw Diagnostic(
        .duplicateColumn, "`top` makes a column `\(key.column.name)` itself", at: item.range)
    }
    var grouping = BoundQuery.Grouping(
      keys: keys.map(\.column),
      aggregates: [.init(name: "count", function: .count, argument: nil)])
    grouping.topCount = try rowCount(count, stage)
    replaceColumns(
      keys.map { ($0.column.name, $0.type) } + [("count", .int), ("share", .double)])
    return grouping
  }

  private mutating func timeline(
    _ width: Int64?, _ keyItems: [Item], _ stage: Stage
  ) throws(Diagnostic) -> BoundQuery.Timeline {
    if let width, width <= 0 {
      throw Diagnostic(.valueOutOfRange, "the width of a bin must be above zero", at: stage.range)
    }
    let keys = try columns(of: keyItems)
    for (key, item) in zip(keys, keyItems) where ["time", "count"].contains(key.column.name) {
      throw Diagnostic(
        .duplicateColumn, "`timeline` makes a column `\(key.column.name)` itself", at: item.range)
    }
    replaceColumns(
      [("time", .time)] + keys.map { ($0.column.name, $0.type) } + [("count", .int)])
    return .init(width: width, keys: keys.map(\.column), zone: context.zone)
  }
}
