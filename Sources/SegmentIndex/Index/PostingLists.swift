package import JournalKit

/// For each term of a column, on how many rows it is and in which granules. The bytes:
///
///     where each list begins, and where the last one ends, as PackedIntegers
///     for each term: varint of twice the row count, plus 1 when a bitmap follows; then either the
///     granules, ascending, as varints of the distance from the one before (from -1 for the first, minus
///     one each), or a bitmap: one bit a granule, least significant first, in whole bytes
package struct PostingLists: ~Escapable {
  private let termCount: Int
  private let granuleCount: Int
  private let segmentRowCount: Int
  private let starts: PackedIntegers
  private let lists: RawSpan

  /// Reads the lists of `termCount` terms in a segment of `rowCount` rows; nil when the bytes are not that.
  @_lifetime(copy bytes)
  package init?(_ bytes: RawSpan, termCount: Int, granuleCount: Int, rowCount: Int) {
    var reader = ByteReader(bytes)
    guard termCount >= 0, termCount <= bytes.byteCount,
      let starts = PackedIntegers(&reader, count: termCount + 1),
      let lists = reader.span(reader.remaining)
    else { return nil }
    self.termCount = termCount
    self.granuleCount = granuleCount
    segmentRowCount = rowCount
    self.starts = starts
    self.lists = lists
  }

  /// How many rows have the term at `index`; nil when the bytes do not say, or more than the segment has.
  package func rowCount(at index: Int) -> Int? {
    guard var list = list(at: index), let head = list.varint(), head >> 1 <= UInt64(segmentRowCount)
    else { return nil }
    return Int(head >> 1)
  }

  /// The granules in which the term at `index` is, ascending; nil when the bytes do not say.
  package func granules(at index: Int) -> [Int]? {
    guard var list = list(at: index), let head = list.varint() else { return nil }
    var granules: [Int] = []
    if head & 1 == 1 {
      guard list.remaining == (granuleCount + 7) / 8 else { return nil }
      for granule in 0..<granuleCount
      where list.bytes[list.offset + granule / 8] >> UInt8(granule % 8) & 1 == 1 {
        granules.append(granule)
      }
    } else {
      var previous = -1
      while list.remaining > 0 {
        guard previous < granuleCount - 1,
          let distance = list.count(atMost: granuleCount - previous - 2)
        else { return nil }
        previous += distance + 1
        granules.append(previous)
      }
    }
    return granules
  }

  @_lifetime(copy self)
  private func list(at index: Int) -> ByteReader? {
    let start = starts[index]
    let end = starts[index + 1]
    guard 0 <= start, start <= end, end <= Int64(lists.byteCount) else { return nil }
    return ByteReader(lists.extracting(Int(start)..<Int(end)))
  }
}

extension ByteWriter {
  /// The lists of terms that are on `rowCounts` rows, and in the granules that `granules` has for each:
  /// those of term `t` are `granules[starts[t]..<starts[t + 1]]`, ascending.
  package mutating func postingLists(
    rowCounts: [Int], granules: [UInt32], starts: [Int], granuleCount: Int
  ) {
    var offsets: [Int64] = [0]
    var lists = ByteWriter()
    let bitmapByteCount = (granuleCount + 7) / 8
    for term in rowCounts.indices {
      let granules = granules[starts[term]..<starts[term + 1]]
      // A listed granule takes one byte, or rarely two.
      if granules.count > bitmapByteCount {
        lists.varint(UInt64(rowCounts[term]) << 1 | 1)
        var bits = [UInt8](repeating: 0, count: bitmapByteCount)
        for granule in granules { bits[Int(granule) / 8] |= 1 << UInt8(granule % 8) }
        lists.bytes.append(contentsOf: bits)
      } else {
        lists.varint(UInt64(rowCounts[term]) << 1)
        var previous: Int64 = -1
        for granule in granules {
          lists.varint(UInt64(Int64(granule) - previous - 1))
          previous = Int64(granule)
        }
      }
      offsets.append(Int64(lists.count))
    }
    packedIntegers(offsets)
    bytes.append(contentsOf: lists.bytes)
  }
}
