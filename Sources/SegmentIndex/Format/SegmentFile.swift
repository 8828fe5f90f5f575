internal import JournalKit

/// A segment's bytes, and the errors that name it.
final class SegmentFile: Sendable {
  let storage: SharedBytes
  let name: String

  init(_ storage: SharedBytes, name: String) {
    self.storage = storage
    self.name = name
  }

  func error(at offset: Int, _ reason: String) -> SegmentError {
    SegmentError(segment: name, offset: offset, reason: reason)
  }

  /// Checks that the block's bytes pass their checksum.
  func check(_ handle: BlockHandle) throws(SegmentError) {
    let storage = storage
    try check(storage.rawSpan.extracting(handle.range), of: handle)
  }

  /// Checks that `bytes`, the block's, pass its checksum.
  func check(_ bytes: RawSpan, of handle: BlockHandle) throws(SegmentError) {
    guard bytes.byteCount == handle.length, CRC32C.checksum(bytes) == handle.checksum
    else { throw error(at: handle.offset, "a block fails its checksum") }
  }

  /// Gives `body` the block's bytes, which must have passed their checksum.
  ///
  /// - Parameter content: what the block is, for the error that is thrown when `body` returns nil because
  ///   the bytes are not that.
  func read<Result>(
    checked handle: BlockHandle, as content: String, _ body: (RawSpan) -> Result?
  ) throws(SegmentError) -> Result {
    let storage = storage
    guard let result = body(storage.rawSpan.extracting(handle.range))
    else { throw error(at: handle.offset, "\(content) is malformed") }
    return result
  }
}
