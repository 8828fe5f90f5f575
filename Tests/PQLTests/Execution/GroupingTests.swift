import PQL
import SegmentIndex
import Testing

@Suite struct GroupingTests {
  /// Eight keys of 513 terms each have more combinations than 64 bits can number.
  @Test func manyKeysOfManyValuesStayApart() throws {
    let names = (1...8).map { "t\($0)" }
    var records = (0..<511).map { value in
      SmallStore.record(value) { record in
        record.tags = names.map { LogTag($0, .int(Int64(value))) }
      }
    }
    for (index, first) in [0, 2, 4, 6].enumerated() {
      records.append(
        SmallStore.record(511 + index) { record in
          record.message = "special"
          record.tags = names.map { LogTag($0, .int($0 == "t1" ? Int64(first) : 7)) }
        })
    }
    let store = try SmallStore(records)
    let keys = names.map { "tag.\($0)" }.joined(separator: ", ")
    #expect(try store.rows("special | count by \(keys)").count == 4)
    #expect(try store.rows("special | count by bin(time, 1d), \(keys.dropLast(8))").count == 4)
  }
}
