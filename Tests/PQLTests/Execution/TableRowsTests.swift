import PQL
import SegmentIndex
import Testing

@Suite struct TableRowsTests {
  /// Rows that the executor keeps by column, and the same ones by themselves.
  private func pair(_ text: String) throws -> (flat: TableRows, made: [[Value?]]) {
    let records = (0..<40).map { index in
      SmallStore.record(index, at: SmallStore.start + Int64(index * 37 % 40)) {
        if index % 3 == 0 { $0.line = Int64(index) }
      }
    }
    let store = try SmallStore(records, segmentCount: 2)
    let rows = try store.run(text).table?.rows ?? []
    let expected = ReferenceEvaluator(records: records).run(try store.bound(text))
    return (rows, Array(expected.table?.rows ?? []))
  }

  @Test(arguments: ["| select message, time, line", "| sort line | select line, message"])
  func rowsKeptByColumnAreTheRows(_ text: String) throws {
    let (flat, made) = try pair(text)
    #expect(made.count == 40 && flat.count == 40 && flat == TableRows(made))
    for row in made.indices {
      #expect(flat[row] == made[row])
      for column in made[row].indices { #expect(flat[row, column] == made[row][column]) }
    }
    #expect(flat.prefix(7) == TableRows(made.prefix(7)) && flat.prefix(7).count == 7)
    #expect(flat.prefix(99) == flat && flat.prefix(0) == [])
    #expect(flat.last == made.last && flat.reversed() == made.reversed())
  }

  @Test func otherRowsDiffer() {
    let rows: TableRows = [[.int(1), nil], [.string("a"), .int(2)]]
    #expect(rows != [[.int(1), nil]] && rows != [[.int(1), nil], [.string("a"), .int(3)]])
    #expect(rows == [[.int(1), nil], [.string("a"), .int(2)]] && rows[1, 0] == .string("a"))
    #expect(TableRows([]).isEmpty)
  }
}
