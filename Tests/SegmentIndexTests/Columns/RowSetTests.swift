import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct RowSetTests {
  @Test(arguments: [1, 63, 64, 65, 1000, 4095, 4096])
  func setsOfEveryDensityComeBack(_ rowCount: Int) throws {
    for (seed, share) in [0, 0.001, 0.02, 0.1, 0.5, 0.99, 1].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let rows = (0..<UInt32(rowCount)).filter { _ in
        Double.random(in: 0..<1, using: &random) < share
      }
      var writer = ByteWriter()
      writer.rowSet(rows, among: rowCount)
      var reader = ByteReader(writer.bytes.rawSpan)
      guard let set = RowSet(&reader, rowCount: rowCount) else {
        Issue.record("\(random)")
        return
      }
      let (remaining, count, words) = (reader.remaining, set.count, set.words)
      #expect(remaining == 0 && count == rows.count)
      let contained = (0..<rowCount).filter { row in
        words.map { $0[row / 64] >> UInt64(row % 64) & 1 == 1 } ?? true
      }
      #expect(contained == rows.map { Int($0) }, "\(random)")
      for row in [0, rowCount / 2, rowCount] {
        let rank = set.rank(of: row)
        #expect(rank == rows.prefix { $0 < row }.count, "\(random)")
      }
    }
  }

  @Test(arguments: [false, true])
  func rowsAreFoundOneAfterAnother(_ isForFew: Bool) throws {
    for (seed, share) in [0, 0.001, 0.02, 0.1, 0.5, 1].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let rows = (0..<UInt32(4096)).filter { _ in
        Double.random(in: 0..<1, using: &random) < share
      }
      var writer = ByteWriter()
      writer.rowSet(rows, among: 4096)
      var reader = ByteReader(writer.bytes.rawSpan)
      guard let set = RowSet(&reader, rowCount: 4096, isForFew: isForFew) else {
        Issue.record("\(random)")
        return
      }
      let places = Dictionary(uniqueKeysWithValues: zip(rows, rows.indices))
      var finder = RowSet.Finder()
      for row in stride(from: 0, to: 4096, by: Int.random(in: 1...9, using: &random)) {
        let place = set.place(of: row, &finder)
        #expect(place == places[UInt32(row)], "row \(row), seed \(seed)")
      }
    }
  }

  @Test func oneRowIsFoundAlone() {
    for (seed, share) in [0, 0.001, 0.02, 0.1, 0.5, 1].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let rowCount = seed % 2 == 0 ? 4096 : 3001
      let rows = (0..<UInt32(rowCount)).filter { _ in
        Double.random(in: 0..<1, using: &random) < share
      }
      var writer = ByteWriter()
      writer.rowSet(rows, among: rowCount)
      let places = Dictionary(uniqueKeysWithValues: zip(rows, rows.indices))
      for row in stride(from: 0, to: rowCount, by: Int.random(in: 1...9, using: &random)) {
        var reader = ByteReader(writer.bytes.rawSpan)
        let place = RowSet.place(of: row, &reader, rowCount: rowCount)
        #expect(place != nil && place?.index == places[UInt32(row)], "row \(row), seed \(seed)")
        if place?.isCounted == true { #expect(place?.count == rows.count) }
      }
    }
  }

  @Test func sparseSetsAreLists() {
    func byteCount(_ rows: [UInt32]) -> Int {
      var writer = ByteWriter()
      writer.rowSet(rows, among: 4096)
      return writer.count
    }
    #expect(byteCount(Array(0..<4096)) == 1)
    #expect(byteCount([7]) < 5)
    #expect(byteCount((0..<2000).map { $0 * 2 + $0 % 2 }) == 513)
  }

  @Test(
    arguments: [
      [], [3], [1], [1, 0xff], [1, 0xff, 0x04],  // cut, or a bit after the last of ten rows
      [2], [2, 11], [2, 2, 0, 10],  // too many, or the same row twice
      [2, 1, 0, 20], [2, 1, 0, 1],  // rows 10 and -1
    ] as [[UInt8]])
  func bytesThatAreNoSetAreRefused(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes.rawSpan)
    let isRead = RowSet(&reader, rowCount: 10) != nil
    #expect(!isRead)
  }
}
