internal import JournalKit

extension Segment {
  /// How many bytes each column takes, by the name of its field or, after `tag.`, the key of its tag.
  package func columnSizes() throws(SegmentError) -> [(name: String, byteCount: Int)] {
    var sizes: [(String, Int)] = []
    for (position, entry) in directory.columns.enumerated() {
      let blocks = try column(at: position).blocks
      let name = entry.tagKey.map { "tag.\($0)" } ?? "\(entry.field)"
      sizes.append((name, blocks.reduce(entry.handle.length) { $0 + $1.count }))
    }
    return sizes
  }

  /// Where the header, the directory and all blocks are, first to last.
  package func blocks() throws(SegmentError) -> [Range<Int>] {
    var blocks = [0..<SegmentFormat.headerByteCount, header.directory.range]
    for (position, entry) in directory.columns.enumerated() {
      blocks.append(entry.handle.range)
      blocks += try column(at: position).blocks
    }
    return blocks.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Checks that the blocks and the zeros between them are all there is, unless there are columns that only
  /// a newer reader knows.
  func verifyLayout() throws(SegmentError) {
    if directory.hasUnknownColumns { return }
    var end = 0
    let storage = file.storage
    for block in try blocks() {
      guard block.lowerBound >= end, block.lowerBound - end < SegmentFormat.alignment,
        block.lowerBound % SegmentFormat.alignment == 0
      else { throw error(at: block.lowerBound, "blocks do not follow each other") }
      for offset in end..<block.lowerBound where storage.rawSpan[offset] != 0 {
        throw error(at: offset, "the space between blocks is not zero")
      }
      end = block.upperBound
    }
    guard end == storage.count else { throw error(at: end, "something follows the last block") }
  }
}
