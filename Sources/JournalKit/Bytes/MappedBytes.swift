import Synchronization

/// The first bytes of a file, as memory that is stored into.
///
/// What is stored here belongs to the operating system at once: like a write, it outlives the process, and whoever
/// reads the file sees it. Nobody may truncate the file meanwhile: a store into a page that is gone is a signal.
///
/// `@unchecked` because of the pointer: the region lives as long as the value, and the value has one owner.
@safe
struct MappedBytes: ~Copyable, @unchecked Sendable {
  /// The pages themselves, for background work: they are unmapped once neither that nor the owner needs them.
  ///
  /// `@unchecked` because of the pointer, which only reaches the system's calls from here.
  @safe
  final class Pages: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer
    private let fileSystem: any FileSystem

    fileprivate init(_ bytes: UnsafeMutableRawBufferPointer, _ fileSystem: any FileSystem) {
      unsafe self.bytes = unsafe bytes
      self.fileSystem = fileSystem
    }

    var count: Int { unsafe bytes.count }

    deinit { unsafe fileSystem.unmap(UnsafeRawBufferPointer(bytes)) }

    /// Brings the pages of `range`, as far as there are any, into memory, so that the next store into each need not.
    func populate(_ range: Range<Int64>) {
      let start = max(0, range.lowerBound) & ~4095
      let end = unsafe min(Int64(bytes.count), range.upperBound)
      guard start < end else { return }
      unsafe fileSystem.populate(
        UnsafeMutableRawBufferPointer(rebasing: bytes[Int(start)..<Int(end)]))
    }
  }

  let count: Int
  let pages: Pages
  private let base: UnsafeMutableRawPointer

  /// Maps `length` bytes of `file`, at least 1, which must be allocated.
  init(
    mapping file: FileNumber, length: Int, fileSystem: any FileSystem
  ) throws(DiskError) {
    let bytes = try unsafe fileSystem.mapForWriting(file, length: length)
    guard let base = bytes.baseAddress else {
      throw DiskError(call: .map, path: "file \(file.rawValue)", code: DiskError.inputOutput)
    }
    unsafe self.base = base
    count = length
    pages = unsafe Pages(bytes, fileSystem)
  }

  /// Copies `bytes` to `offset`.
  func store(_ bytes: RawSpan, at offset: Int) {
    precondition(offset >= 0 && bytes.byteCount <= count - offset)
    unsafe bytes.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe (base + offset).copyMemory(from: source, byteCount: bytes.count)
    }
  }

  /// Fills in a frame: two words and then `payload`, at a multiple of four.
  ///
  /// While that is not done, the first word is `mark`; no store is moved before that one, nor behind the one of
  /// `word`. So whenever the process dies, and whenever someone reads, the file has a mark or the whole frame.
  @inline(__always)
  func publish(
    _ word: UInt32, _ second: UInt32, _ payload: RawSpan, replacing mark: UInt32, at offset: Int
  ) {
    precondition(offset >= 0 && offset & 3 == 0 && payload.byteCount <= count - offset - 8)
    let start = unsafe base + offset
    unsafe Self.begin(start, mark)
    unsafe payload.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe (start + 8).copyMemory(from: source, byteCount: bytes.count)
    }
    unsafe Self.complete(start, word, second)
  }

  /// Lets `body` fill in the payload of a frame, at most `capacity` bytes: the frame is `mark` until `complete`, and
  /// nothing else may be stored meanwhile. Returns the payload's length; nil when `body` returned false: then the
  /// place is blank again.
  ///
  /// What `body` stored and then removed, or left behind, becomes zeros. So all `capacity` bytes are looked at.
  func fill(
    capacity: Int, replacing mark: UInt32, at offset: Int,
    _ body: (inout OutputRawSpan) -> Bool
  ) -> Int? {
    precondition(offset >= 0 && offset & 3 == 0 && capacity >= 0 && capacity <= count - offset - 8)
    let start = unsafe base + offset
    unsafe Self.begin(start, mark)
    let room = unsafe UnsafeMutableRawBufferPointer(start: start + 8, count: capacity)
    var output = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
    let isWanted = body(&output)
    let length = unsafe output.finalize(for: room)
    let kept = isWanted ? length : 0
    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[kept...])
    if unsafe rest.contains(where: { $0 != 0 }) {
      unsafe rest.initializeMemory(as: UInt8.self, repeating: 0)
    }
    guard isWanted else {
      unsafe Self.complete(start, 0, 0)
      return nil
    }
    return length
  }

  /// Makes what `fill` left at `offset` a frame.
  func complete(_ word: UInt32, _ second: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset & 3 == 0 && offset <= count - 8)
    unsafe Self.complete(base + offset, word, second)
  }

  /// Takes `length` bytes from `offset` on into `checksum`.
  func add(_ length: Int, from offset: Int, to checksum: inout CRC32C) {
    precondition(offset >= 0 && length >= 0 && length <= count - offset)
    let bytes = unsafe UnsafeRawBufferPointer(start: base + offset, count: length)
    unsafe checksum.update(bytes.bytes)
  }

  @inline(__always)
  private static func begin(_ start: UnsafeMutableRawPointer, _ mark: UInt32) {
    let first = unsafe start.assumingMemoryBound(to: Atomic<UInt32>.self)
    unsafe first.pointee.store(mark.littleEndian, ordering: .relaxed)
    atomicMemoryFence(ordering: .acquiringAndReleasing)
  }

  @inline(__always)
  private static func complete(
    _ start: UnsafeMutableRawPointer, _ word: UInt32, _ second: UInt32
  ) {
    unsafe start.storeBytes(of: second.littleEndian, toByteOffset: 4, as: UInt32.self)
    let first = unsafe start.assumingMemoryBound(to: Atomic<UInt32>.self)
    unsafe first.pointee.store(word.littleEndian, ordering: .releasing)
  }
}
