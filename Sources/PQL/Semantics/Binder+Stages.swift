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
    case .sort(let keys): query.recordStages.append(.sort(sortOrders(keys)))
    case .limit(let count): query.recordStages.append(.limit(try rowCount(count, stage)))
    case .dedup(let keys):
      query.recordStages.append(.dedup(keys.map { valueOrBroken($0.expression).operand }))
    case .extend(let items):
      for item in items { addColumn(item) }
    case .select(let items):
      query.exit = .project(boundColumns(items))
      hasRecords = false
    case .stats(let aggregates, let keys):
      query.exit = .group(grouping(aggregates, by: keys))
      hasRecords = false
    case .top(let count, let keys):
      query.exit = .group(top(count, keys, stage))
      hasRecords = false
    case .timeline(let width, let keys):
      query.exit = .timeline(timeline(width, keys, stage))
      hasRecords = false
    case .spans:
      query.exit = .spans(.init(now: context.now))
      replaceColumns(SpanRows.columns)
      hasRecords = false
    case .trace(let back, let depth):
      query.recordStages.append(.trace(try trace(back, depth, stage)))
      try addMadeColumns(Trace.columns, stage)
    case .context(let before, let after):
      query.recordStages.append(.context(try neighbours(before, after ?? before, stage)))
      try addMadeColumns(Neighbours.columns, stage)
    }
  }

  /// `extend` on records: the column is written out wherever it is used.
  private mutating func addColumn(_ item: Item) {
    let name = item.name ?? Printer.expression(item.expression)
    guard Field(rawValue: name) == nil, name != "tag" else {
      return problems.note(
        Diagnostic(
          .duplicateColumn, "`\(name)` is a field and cannot be overwritten", at: item.range))
    }
    guard column(named: name) == nil else { return noteExisting(name, item) }
    columns.append((name, valueOrBroken(item.expression)))
  }

  private func noteExisting(_ name: String, _ item: Item) {
    problems.note(
      Diagnostic(.duplicateColumn, "there is already a column `\(name)`", at: item.range))
  }

  /// Columns that a stage adds to the records. They have places of their own and are not written out.
  private mutating func addMadeColumns(
    _ made: [(name: String, type: ValueType)], _ stage: Stage
  ) throws(Diagnostic) {
    guard madeCount == 0 else {
      throw Diagnostic(
        .needsRecords, "this stage cannot follow another `trace` or `context`", at: stage.range)
    }
    for (index, column) in made.enumerated() {
      guard self.column(named: column.name) == nil else {
        throw Diagnostic(
          .duplicateColumn, "the stage makes a column `\(column.name)` itself", at: stage.range)
      }
      columns.append(
        (column.name, Typed(operand: .column(index), type: column.type, range: stage.range)))
    }
    madeCount = made.count
  }

  private func trace(
    _ back: Int64?, _ depth: Int64?, _ stage: Stage
  ) throws(Diagnostic) -> Trace {
    let back = back ?? 5 * 60 * nanosecondsPerSecond
    let depth = depth ?? Trace.depthLimit
    guard back > 0 else {
      throw Diagnostic(.valueOutOfRange, "`back` must be above zero", at: stage.range)
    }
    guard 0...Trace.depthLimit ~= depth else {
      throw Diagnostic(
        .valueOutOfRange, "`depth` goes from 0 to \(Trace.depthLimit)", at: stage.range)
    }
    return Trace(back: back, depth: Int(depth))
  }

  private func neighbours(
    _ before: Int64, _ after: Int64, _ stage: Stage
  ) throws(Diagnostic) -> Neighbours {
    guard 0...Neighbours.countLimit ~= before, 0...Neighbours.countLimit ~= after else {
      throw Diagnostic(
        .valueOutOfRange, "`context` shows at most \(Neighbours.countLimit) records on a side",
        at: stage.range)
    }
    return Neighbours(before: Int(before), after: Int(after))
  }
}

// MARK: Stages on rows

extension Binder {
  mutating func bindOnTable(_ stage: Stage, _ query: inout BoundQuery) throws(Diagnostic) {
    switch stage.kind {
    case .where(let filter): query.tableStages.append(.filter(try boundedCondition(filter)))
    case .sort(let keys): query.tableStages.append(.sort(sortOrders(keys)))
    case .limit(let count): query.tableStages.append(.limit(try rowCount(count, stage)))
    case .select(let items):
      query.tableStages.append(.project(boundColumns(items)))
    case .extend(let items):
      for item in items {
        let name = item.name ?? Printer.expression(item.expression)
        guard column(named: name) == nil else {
          noteExisting(name, item)
          continue
        }
        let typed = valueOrBroken(item.expression)
        query.tableStages.append(.extend([.init(name: name, operand: typed.operand)]))
        columns.append(
          (
            name,
            Typed(
              operand: .column(columns.count), type: typed.type, range: typed.range,
              isBroken: typed.isBroken)
          ))
      }
    case .stats(let aggregates, let keys):
      query.tableStages.append(.group(grouping(aggregates, by: keys)))
    case .top(let count, let keys):
      query.tableStages.append(.group(top(count, keys, stage)))
    case .spans, .trace, .context, .dedup, .timeline:
      if case .dedup = stage.kind {} else { columnsAreUnknown = true }
      throw Diagnostic(
        .needsRecords, "this stage needs records, and the stages before it made rows of them",
        at: stage.range)
    }
  }
}
