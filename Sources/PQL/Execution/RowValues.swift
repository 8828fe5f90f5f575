/// A row as the evaluator sees it.
///
/// Evaluation is generic over the row, so that the same code reads a record, a row of a table, and a row
/// of a segment's columns.
protocol RowValues {
  /// The record's value; nil when it lacks the field.
  func value(of field: FieldReference) -> Value?
  /// The value in the row's column.
  func column(_ index: Int) -> Value?
}

/// Nothing at all: for computing what depends on no row.
struct NoRow: RowValues {
  func value(of field: FieldReference) -> Value? { nil }
  func column(_ index: Int) -> Value? { nil }
}

/// A row of a table.
struct TableRow: RowValues {
  let values: [Value?]

  func value(of field: FieldReference) -> Value? { nil }
  func column(_ index: Int) -> Value? { values[index] }
}
