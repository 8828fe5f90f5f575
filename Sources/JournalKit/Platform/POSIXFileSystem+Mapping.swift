#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Files as memory.

extension POSIXFileSystem {
  package func map(_ file: FileNumber, length: Int) throws(DiskError) -> UnsafeRawBufferPointer {
    precondition(length > 0)
    let start = unsafe mmap(nil, length, PROT_READ, MAP_SHARED, file.rawValue, 0)
    if unsafe start == MAP_FAILED {
      throw DiskError(call: .map, path: path(of: file), code: errno)
    }
    return unsafe UnsafeRawBufferPointer(start: start, count: length)
  }

  package func unmap(_ region: UnsafeRawBufferPointer) {
    guard let start = region.baseAddress else { return }
    _ = unsafe munmap(UnsafeMutableRawPointer(mutating: start), region.count)
  }

  package func mapForWriting(
    _ file: FileNumber, length: Int
  ) throws(DiskError) -> UnsafeMutableRawBufferPointer {
    precondition(length > 0)
    let start = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
    guard unsafe start != MAP_FAILED else {
      throw DiskError(call: .map, path: path(of: file), code: errno)
    }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: length)
  }

  package func populate(_ region: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      // Who needs that much soon, is better off with huge pages, where the file system has them (measured on ext4:
      // a third of the time). Others are not: the system writes each page back as a whole.
      let hugePage: UInt = 2 << 20
      let start = UInt(bitPattern: region.baseAddress)
      let hugeStart = (start + hugePage - 1) & ~(hugePage - 1)
      let hugeEnd = (start + UInt(region.count)) & ~(hugePage - 1)
      if hugeStart < hugeEnd {
        // MADV_HUGEPAGE
        unsafe _ = madvise(
          UnsafeMutableRawPointer(bitPattern: hugeStart), Int(hugeEnd - hugeStart), 14)
      }
      // MADV_POPULATE_WRITE, of Linux 5.14; not every C library's headers have it.
      // Where the system has none, the first stores do the work. Touching the pages here instead would be
      // a signal when the file is cut off meanwhile.
      unsafe _ = madvise(region.baseAddress, region.count, 23)
    #endif
  }

  package func keepsAllocations(in path: String) throws(DiskError) -> Bool {
    #if os(Linux)
      // A copy-on-write, compressing or remote file system promises space that it may not have. Only those
      // that are known to set it aside count; the mount table names a device's.
      guard let device = try status(at: path)?.identity.device else { return false }
      let number =
        "\(device >> 8 & 0xfff | device >> 32 & ~0xfff):"
        + "\(device & 0xff | device >> 12 & ~0xff)"
      let table = try contents(of: "/proc/self/mountinfo", limit: 4 << 20)
      for line in table.split(separator: UInt8(ascii: "\n")) {
        let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard fields.count > 2, fields[2] == number,
          let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
        else { continue }
        return ["ext4", "xfs", "tmpfs"].contains(fields[dash + 1])
      }
    #endif
    return false
  }
}
