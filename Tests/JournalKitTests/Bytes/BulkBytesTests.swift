import JournalKit
import TestSupport
import Testing

/// The bulk operations on bytes against the plainest way to do the same.
@Suite struct BulkBytesTests {
  @Test func repeatingIsCopyingByteAfterByte() {
    var random = SeededRandom(seed: 1)
    for distance in 1...20 {
      for count in 0...45 {
        let start = random.bytes(20 + 45 + 3)
        var expected = start
        for index in 0..<count { expected[20 + index] = expected[20 + index - distance] }
        var repeated = start
        repeated.repeat(distance: distance, at: 20, count: count)
        #expect(repeated == expected, "distance \(distance), count \(count)")
      }
    }
  }

  @Test func overwritingReplacesJustThoseBytes() {
    var random = SeededRandom(seed: 2)
    for count in 0...70 {
      let start = random.bytes(count + 9)
      let source = random.bytes(count)
      var overwritten = start
      overwritten.overwrite(at: 5, with: source.rawSpan)
      #expect(overwritten == start[..<5] + source + start[(5 + count)...], "count \(count)")
    }
  }

  @Test func movedBytesMayOverlapWithThoseTheyReplace() {
    var random = SeededRandom(seed: 4)
    let start = random.bytes(12)
    for first in 0...12 {
      for last in first...12 {
        for offset in 0...12 - (last - first) {
          var moved = start
          moved.move(first..<last, to: offset)
          var expected = start
          expected.replaceSubrange(offset..<offset + last - first, with: start[first..<last])
          #expect(moved == expected, "\(first..<last) to \(offset)")
        }
      }
    }
  }

  @Test func comparingIsThatOfTheBytes() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<3000 {
      let left = random.bytes(Int(random.next() % 20)).map { $0 % 2 }
      var right = Bool.random(using: &random) ? left : random.bytes(9).map { $0 % 2 }
      if Bool.random(using: &random), !right.isEmpty { right[right.count - 1] ^= 0x80 }
      let (isEqual, isBefore) = (
        left.rawSpan.equals(right.rawSpan), left.rawSpan.precedes(right.rawSpan)
      )
      #expect(isEqual == (left == right) && isBefore == left.lexicographicallyPrecedes(right))
      let shared = left.rawSpan.sharedPrefixCount(with: right.rawSpan)
      #expect(shared == zip(left, right).prefix { $0 == $1 }.count)
    }
  }

  @Test func textIsComparedToTheByteAndRepaired() {
    for text in ["", "a", "é", "e\u{301}", "long enough to be on the heap, and more", "\0"] {
      let bytes = Array(text.utf8)
      let isEqual = bytes.rawSpan.equals(text)
      let hasMore = (bytes + [0]).rawSpan.equals(text)
      let read = bytes.rawSpan.repairedString()
      #expect(isEqual && !hasMore && read.utf8.elementsEqual(bytes))
    }
    let composed = Array("é".utf8).rawSpan.equals("e\u{301}")
    let repaired = [0x61, 0xff, 0x62].rawSpan.repairedString()
    #expect(!composed && repaired == "a\u{fffd}b")
  }

  /// Digests that are kept in files are made with it, so it may never change.
  @Test func theHashIsTheSameForEver() {
    let bytes = Array("The same bytes and seed give the same hash.".utf8)
    let hashes = [0, 8, 9, bytes.count].map { count in
      bytes.rawSpan.extracting(0..<count).hash(seed: 7)
    }
    #expect(
      hashes == [
        0x59e7_e5dd_893b_f72e,
        0x5373_3694_fea1_5fc6,
        0x7b53_9692_e783_7117,
        0x1100_f7e5_839e_b8fb,
      ])
  }
}
