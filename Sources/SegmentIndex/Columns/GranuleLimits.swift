internal import JournalKit

/// For each granule the least and greatest value of its rows; nil where no row has one.
///
/// An array of optional ranges would say the same, but for that the runtime looks through all conformances of the
/// program once, which a process that asks one question notices.
package struct GranuleLimits: Sendable, RandomAccessCollection {
  private struct Limits {
    let least: Int64
    let greatest: Int64
  }

  private var limits: [Limits?] = []

  /// Reads `i64 least` and `i64 greatest` for each granule of `blocks` that there is.
  init?(_ reader: inout ByteReader, of blocks: BlockList) {
    limits.reserveCapacity(blocks.count)
    for index in 0..<blocks.count {
      guard blocks.hasBlock(index) else {
        limits.append(nil)
        continue
      }
      guard let least = reader.integer(Int64.self), let greatest = reader.integer(Int64.self),
        least <= greatest
      else { return nil }
      limits.append(Limits(least: least, greatest: greatest))
    }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { limits.count }

  package subscript(granule: Int) -> ClosedRange<Int64>? {
    limits[granule].map { $0.least...$0.greatest }
  }
}
