/// Immutable bytes that several readers share: a copy in memory, or a file mapped for reading.
///
/// Only files that nobody changes or truncates may be mapped (sealed segments): reading a mapped page
/// that is gone is a signal, not an error. Deleting such a file is harmless.
///
/// `@unchecked` because of the pointer: what it points to is never written after `init` and lives as
/// long as the object.
@safe
package final class SharedBytes: @unchecked Sendable {
  package let count: Int
  private let region: UnsafeRawBufferPointer
  /// The door that mapped the region; nil when the region is this object's own allocation.
  private let fileSystem: (any FileSystem)?

  package init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    unsafe copy.copyBytes(from: bytes)
    unsafe region = UnsafeRawBufferPointer(copy)
    count = bytes.count
    fileSystem = nil
  }

  /// Maps the whole of `file`, which may be closed afterwards. An empty file becomes empty bytes: there is nothing to
  /// map.
  package init(mapping file: FileNumber, fileSystem: any FileSystem) throws(DiskError) {
    count = Int(try fileSystem.status(of: file).length)
    if count == 0 {
      unsafe region = UnsafeRawBufferPointer(start: nil, count: 0)
      self.fileSystem = nil
    } else {
      unsafe region = try fileSystem.map(file, length: count)
      self.fileSystem = fileSystem
    }
  }

  deinit {
    if let fileSystem {
      unsafe fileSystem.unmap(region)
    } else {
      unsafe region.deallocate()
    }
  }

  /// The bytes, borrowed for as long as this object is.
  package var rawSpan: RawSpan {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(RawSpan(_unsafeBytes: region), borrowing: self) }
  }
}
