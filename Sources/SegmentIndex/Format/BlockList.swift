internal import JournalKit
internal import Synchronization

/// Blocks that follow each other in the file, such as a column's granules. The bytes:
///
///     u64  offset of the first
///     for each: varint length, and u32 CRC-32C unless the length is 0
///
/// Each begins at the first multiple of eight after the one before. A block of length 0 is none.
///
/// A block's checksum is computed when it is first asked for and not again. Two threads may both find it
/// unchecked, which costs time and nothing else.
struct BlockList: Sendable {
  let file: SegmentFile
  private let handles: [BlockHandle]
  private let checked: CheckedBlocks

  /// Reads the list of `count` blocks; nil when the bytes are not one or a block lies outside the file.
  init?(_ reader: inout ByteReader, count: Int, file: SegmentFile) {
    let fileLength = file.storage.count
    // A block takes at least a byte here, so a hostile count allocates nothing that is not there.
    guard let first = reader.integer(UInt64.self), first <= UInt64(fileLength),
      count <= reader.remaining
    else { return nil }
    var offset = Int(first)
    var handles: [BlockHandle] = []
    handles.reserveCapacity(count)
    for _ in 0..<count {
      offset = (offset + SegmentFormat.alignment - 1) & ~(SegmentFormat.alignment - 1)
      guard let length = reader.count(atMost: max(0, fileLength - offset)) else { return nil }
      guard length > 0 else {
        handles.append(.none)
        continue
      }
      guard let checksum = reader.integer(UInt32.self) else { return nil }
      handles.append(BlockHandle(offset: offset, length: length, checksum: checksum))
      offset += length
    }
    self.file = file
    self.handles = handles
    checked = CheckedBlocks(count: count)
  }

  var count: Int { handles.count }

  /// Where the blocks are.
  var ranges: [Range<Int>] { handles.filter { $0.length > 0 }.map(\.range) }

  /// Whether there is a block `index`.
  func hasBlock(_ index: Int) -> Bool {
    handles[index].length > 0
  }

  /// How many bytes block `index` has.
  func byteCount(_ index: Int) -> Int { handles[index].length }

  /// Gives `body` the bytes of block `index`, after they have passed their checksum; empty when there is
  /// no block. An error follows when `body` returns nil because the bytes are not `content`.
  func read<Result>(
    _ index: Int, as content: String, _ body: (RawSpan) -> Result?
  ) throws(SegmentError) -> Result {
    if hasBlock(index), !checked.contains(index) {
      try file.check(handles[index])
      checked.insert(index)
    }
    return try file.read(checked: handles[index], as: content, body)
  }

  /// The error that says what is wrong with block `index`.
  func error(in index: Int, _ reason: String) -> SegmentError {
    file.error(at: handles[index].offset, reason)
  }
}

/// The blocks whose bytes have passed their checksum.
private final class CheckedBlocks: Sendable {
  /// One bit for each of the first 64, which most columns have no more than.
  private let first = Atomic<UInt64>(0)
  /// The others.
  private let words: Mutex<[UInt64]>

  init(count: Int) {
    words = Mutex([UInt64](repeating: 0, count: (count - 1) / 64))
  }

  func contains(_ index: Int) -> Bool {
    if index < 64 { return first.load(ordering: .relaxed) >> UInt64(index) & 1 == 1 }
    return words.withLock { $0[index / 64 - 1] >> UInt64(index % 64) & 1 == 1 }
  }

  func insert(_ index: Int) {
    if index < 64 {
      first.bitwiseOr(1 << UInt64(index), ordering: .relaxed)
    } else {
      words.withLock { $0[index / 64 - 1] |= 1 << UInt64(index % 64) }
    }
  }
}

/// Writes a `BlockList` as its blocks are written.
struct BlockListWriter {
  private var handles: [BlockHandle] = []

  /// Takes the next block; nil for none.
  mutating func append(_ handle: BlockHandle?) {
    handles.append(handle ?? .none)
  }

  /// The list's bytes.
  func write(to writer: inout ByteWriter) {
    writer.integer(UInt64(handles.first { $0.length > 0 }?.offset ?? 0))
    for handle in handles {
      writer.varint(UInt64(handle.length))
      if handle.length > 0 { writer.integer(handle.checksum) }
    }
  }
}
