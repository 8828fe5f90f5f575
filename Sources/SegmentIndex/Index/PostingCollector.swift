internal import JournalKit

/// Gathers, granule after granule, on how many rows and in which granules each term is.
struct PostingCollector {
  private var rowCounts: [Int]
  /// For each term one more than the last granule it was seen in.
  private var stamps: [UInt32]
  /// Each term in each granule it is in, granule after granule.
  private var seen: [(term: UInt32, granule: UInt32)] = []

  init(termCount: Int) {
    rowCounts = [Int](repeating: 0, count: termCount)
    stamps = [UInt32](repeating: 0, count: termCount)
  }

  /// Takes the terms of the rows of `granule`; returns the distinct ones.
  mutating func add(_ terms: [Int64], granule: Int) -> [Int64] {
    let stamp = UInt32(granule) + 1
    var distinct: [Int64] = []
    for term in terms {
      let index = Int(term)
      rowCounts[index] += 1
      guard stamps[index] != stamp else { continue }
      stamps[index] = stamp
      distinct.append(term)
      seen.append((UInt32(index), UInt32(granule)))
    }
    return distinct
  }

  func write(to writer: inout ByteWriter, granuleCount: Int) {
    // A counting sort by term; within a term the granules stay in order.
    var starts = [Int](repeating: 0, count: rowCounts.count + 1)
    for entry in seen { starts[Int(entry.term) + 1] += 1 }
    for term in rowCounts.indices { starts[term + 1] += starts[term] }
    var next = starts
    var granules = [UInt32](repeating: 0, count: seen.count)
    for entry in seen {
      granules[next[Int(entry.term)]] = entry.granule
      next[Int(entry.term)] += 1
    }
    writer.postingLists(
      rowCounts: rowCounts, granules: granules, starts: starts, granuleCount: granuleCount)
  }
}
