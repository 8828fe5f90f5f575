import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct PostingListsTests {
  private func write(_ granules: [[UInt32]], rowCounts: [Int], granuleCount: Int) -> [UInt8] {
    var starts = [0]
    for list in granules { starts.append(starts[starts.count - 1] + list.count) }
    var writer = ByteWriter()
    writer.postingLists(
      rowCounts: rowCounts, granules: granules.flatMap { $0 }, starts: starts,
      granuleCount: granuleCount)
    return writer.bytes
  }

  @Test(arguments: [1, 7, 8, 9, 32, 256])
  func listsAndCountsComeBack(_ granuleCount: Int) {
    var random = SeededRandom(seed: UInt64(granuleCount))
    let granules = (0..<200).map { _ in
      let share = Double.random(in: 0..<1, using: &random)
      return (0..<UInt32(granuleCount)).filter { _ in
        Double.random(in: 0..<1, using: &random) < share
      }
    }
    let rowCounts = granules.map { $0.count * Int(random.next() % 4000 + 1) }
    let bytes = write(granules, rowCounts: rowCounts, granuleCount: granuleCount)
    for term in granules.indices {
      let lists = PostingLists(
        bytes.rawSpan, termCount: 200, granuleCount: granuleCount, rowCount: granuleCount * 4096)
      let (rowCount, read) = (lists?.rowCount(at: term), lists?.granules(at: term))
      #expect(rowCount == rowCounts[term] && read == granules[term].map { Int($0) }, "\(random)")
    }
  }

  @Test func countsAboveTheSegmentsRowsAreRefused() {
    let bytes = write([[0], [0]], rowCounts: [3, 4], granuleCount: 1)
    let lists = PostingLists(bytes.rawSpan, termCount: 2, granuleCount: 1, rowCount: 3)
    let (most, above) = (lists?.rowCount(at: 0), lists?.rowCount(at: 1))
    #expect(most == 3 && above == nil)
  }

  @Test func damagedListsAscendOrAreRefused() {
    var random = SeededRandom(seed: 4)
    let granules: [[UInt32]] = (0..<30).map { [$0 % 32, 31].filter { _ in true }.uniqued }
    let pristine = write(granules, rowCounts: granules.map(\.count), granuleCount: 32)
    for _ in 0..<2000 {
      var bytes = pristine
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(
        truncatingIfNeeded: random.next())
      for term in [0, 15, 29] {
        let lists = PostingLists(
          bytes.rawSpan, termCount: 30, granuleCount: 32, rowCount: 32 * 4096)
        guard let read = lists?.granules(at: term) else { continue }
        #expect(zip(read, read.dropFirst()).allSatisfy { $0 < $1 }, "\(random)")
        #expect(read.allSatisfy { (0..<32).contains($0) }, "\(random)")
      }
    }
  }
}

extension Array where Element == UInt32 {
  /// The elements, ascending and each once.
  fileprivate var uniqued: [UInt32] { Set(self).sorted() }
}
