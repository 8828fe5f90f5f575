import Synchronization

/// The first bytes of a file, as memory that is stored into.
///
/// What is stored here belongs to the operating system at once: like a write, it outlives the process, and whoever
/// reads the file sees it. Nobody may truncate the file meanwhile: a store into a page that is gone is a signal.
///
/// `@unchecked` because of the pointer: the region lives as long as the value, and the value has one owner.
@safe
struct MappedBytes: ~Copyable, @unchecked Sendable {
  /// Unmaps the file once neither the owner nor background work needs it.
  ///
  /// `@unchecked` because of the pointer, which only reaches the system's calls from here.
  @safe
  private final class Region: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    let fileSystem: any FileSystem

    init(_ bytes: UnsafeMutableRawBufferPointer, _ fileSystem: any FileSystem) {
      unsafe self.bytes = unsafe bytes
      self.fileSystem = fileSystem
    }

    deinit { unsafe fileSystem.unmap(UnsafeRawBufferPointer(bytes)) }

    func populate() { unsafe fileSystem.populate(bytes) }
  }

  let count: Int
  private let base: UnsafeMutableRawPointer
  private let region: Region

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
    region = unsafe Region(bytes, fileSystem)
  }

  /// Brings all pages into memory, so that the first store into each need not.
  func populate() {
    region.populate()
  }

  /// `populate`, to be called by any thread at any time.
  var populating: @Sendable () -> Void {
    { [region] in region.populate() }
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
    let first = unsafe start.assumingMemoryBound(to: Atomic<UInt32>.self)
    unsafe first.pointee.store(mark.littleEndian, ordering: .relaxed)
    atomicMemoryFence(ordering: .acquiringAndReleasing)
    unsafe start.storeBytes(of: second.littleEndian, toByteOffset: 4, as: UInt32.self)
    unsafe payload.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe (start + 8).copyMemory(from: source, byteCount: bytes.count)
    }
    unsafe first.pointee.store(word.littleEndian, ordering: .releasing)
  }
}
