#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The operating system's files.
///
/// Each call is one system call, repeated only when a signal interrupted it before it did anything.
package struct POSIXFileSystem: FileSystem {
  package init() {}

  package func open(_ path: String, _ access: FileAccess) throws(DiskError) -> FileNumber {
    let flags: Int32 =
      switch access {
      // Nothing but a pipe without a writer, which would wait for one, heeds the second flag.
      case .read: O_RDONLY | O_NONBLOCK
      case .readWrite: O_RDWR
      case .createNew: O_RDWR | O_CREAT | O_EXCL
      case .createIfMissing: O_RDWR | O_CREAT
      }
    if access != .read { FileSizeLimit.update() }
    return FileNumber(rawValue: try openDescriptor(path, flags, for: .open))
  }

  /// Throws when the file would be longer than this process may make one.
  @inline(__always)
  private func require(
    _ length: Int64, for call: DiskError.Call, _ file: FileNumber
  ) throws(DiskError) {
    guard !FileSizeLimit.isBelow(length) else {
      throw DiskError(call: call, path: path(of: file), code: EFBIG)
    }
  }

  package func close(_ file: FileNumber) throws(DiskError) {
    LockedFiles.remove(file)
    // Never repeated: after EINTR the number may already belong to someone else.
    guard systemClose(file.rawValue) != -1 || errno == EINTR else {
      throw DiskError(call: .close, path: path(of: file), code: errno)
    }
  }

  package func read(
    _ file: FileNumber, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(DiskError) -> Int {
    try result(.read, file) {
      unsafe pread(file.rawValue, buffer.baseAddress, buffer.count, off_t(offset))
    }
  }

  package func nextData(_ file: FileNumber, from offset: Int64) throws(DiskError) -> Int64? {
    #if canImport(Darwin)
      let seekData = SEEK_DATA
    #else
      // SEEK_DATA, which the C library only declares on request.
      let seekData: Int32 = 3
    #endif
    // The file's own position moves, which nothing here uses.
    let next = lseek(file.rawValue, off_t(offset), seekData)
    if next != -1 { return Int64(next) }
    // Nothing but a hole to the end, or else a file system that does not tell.
    return errno == ENXIO ? nil : offset
  }

  package func write(
    _ file: FileNumber, _ bytes: RawSpan, at offset: Int64
  ) throws(DiskError) -> Int {
    // The system would write what fits: nobody has any use for a part.
    if bytes.byteCount > 0 { try require(offset + Int64(bytes.byteCount), for: .write, file) }
    while true {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(file.rawValue, buffer.baseAddress, buffer.count, off_t(offset))
      }
      if count != -1 { return count }
      guard errno == EINTR else {
        throw DiskError(call: .write, path: path(of: file), code: errno)
      }
    }
  }

  package func allocate(_ file: FileNumber, length: Int64) throws(DiskError) {
    try require(length, for: .allocate, file)
    #if canImport(Darwin)
      var request = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
        fst_length: off_t(length), fst_bytesalloc: 0)
      _ = try result(.allocate, file) { unsafe fcntl(file.rawValue, F_PREALLOCATE, &request) }
      if try status(of: file).length < length { try truncate(file, length: length) }
    #else
      // Reports its error number as its result and leaves `errno` alone.
      while true {
        let code = posix_fallocate(file.rawValue, 0, off_t(length))
        if code == 0 { return }
        guard code == EINTR else {
          throw DiskError(call: .allocate, path: path(of: file), code: code)
        }
      }
    #endif
  }

  package func truncate(_ file: FileNumber, length: Int64) throws(DiskError) {
    // Whatever the limit, a file may become shorter.
    if FileSizeLimit.isBelow(length), try status(of: file).length < length {
      throw DiskError(call: .truncate, path: path(of: file), code: EFBIG)
    }
    _ = try result(.truncate, file) { ftruncate(file.rawValue, off_t(length)) }
  }

  package func sync(_ file: FileNumber) throws(DiskError) {
    _ = try result(.sync, file) {
      #if canImport(Darwin)
        // `fsync` leaves the bytes in the drive's own cache there.
        fcntl(file.rawValue, F_FULLFSYNC)
      #else
        fdatasync(file.rawValue)
      #endif
    }
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    let directory = try openDescriptor(path, O_RDONLY | O_DIRECTORY, for: .syncDirectory)
    defer { _ = systemClose(directory) }
    _ = try result(.syncDirectory, path) { fsync(directory) }
  }

  package func lock(_ file: FileNumber) throws(DiskError) -> Bool {
    LockedFiles.insert(file)
    do throws(DiskError) {
      _ = try result(.lock, file) { flock(file.rawValue, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      LockedFiles.remove(file)
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  package func unlock(_ file: FileNumber) throws(DiskError) {
    _ = try result(.lock, file) { flock(file.rawValue, LOCK_UN) }
    LockedFiles.remove(file)
  }

  package func status(of file: FileNumber) throws(DiskError) -> FileStatus {
    var status = stat()
    _ = try result(.status, file) { unsafe fstat(file.rawValue, &status) }
    return FileStatus(status)
  }

  package func status(at path: String) throws(DiskError) -> FileStatus? {
    var status = stat()
    do throws(DiskError) {
      _ = try result(.status, path) { unsafe stat(path, &status) }
      return FileStatus(status)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  package func space(at path: String) throws(DiskError) -> FileSystemSpace {
    var space = statvfs()
    _ = try result(.status, path) { unsafe statvfs(path, &space) }
    func bytes(_ blocks: some BinaryInteger) -> Int64 {
      let product = Int64(clamping: blocks).multipliedReportingOverflow(
        by: Int64(clamping: space.f_frsize))
      return product.overflow ? .max : product.partialValue
    }
    return FileSystemSpace(available: bytes(space.f_bavail), total: bytes(space.f_blocks))
  }

  package func rename(
    _ source: String, to target: String, replacing: Bool
  ) throws(DiskError) {
    guard !replacing else {
      _ = try result(.rename, source) { systemRename(source, target) }
      return
    }
    #if canImport(Darwin)
      _ = try result(.rename, source) { unsafe renamex_np(source, target, UInt32(RENAME_EXCL)) }
    #else
      // `renameat2` is not exported to Swift here. A link fails when the target exists, in one step;
      // the rename has happened then, so that the old name may stay behind is no failure.
      do throws(DiskError) {
        _ = try result(.rename, source) { unsafe link(source, target) }
      } catch {
        guard [EPERM, ENOTSUP, EOPNOTSUPP].contains(error.code) else { throw error }
        return try renameWithoutLinks(source, to: target)
      }
      _ = systemUnlink(source)
    #endif
  }

  /// Renames on a file system without links, such as FAT, or a directory. A target that appears between the look
  /// and the rename is replaced: locks keep the writers of one directory apart there.
  private func renameWithoutLinks(_ source: String, to target: String) throws(DiskError) {
    guard try status(at: target) == nil else {
      throw DiskError(call: .rename, path: source, code: EEXIST)
    }
    _ = try result(.rename, source) { systemRename(source, target) }
  }

  package func unlink(_ path: String) throws(DiskError) {
    _ = try result(.unlink, path) { systemUnlink(path) }
  }

  package func createDirectory(_ path: String) throws(DiskError) {
    do throws(DiskError) {
      _ = try result(.createDirectory, path) { unsafe mkdir(path, 0o700) }
    } catch {
      if error.isAlreadyThere, try status(at: path)?.isDirectory == true { return }
      guard error.code == ENOENT, let parent = FilePath.parent(of: path) else { throw error }
      try createDirectory(parent)
      try createDirectory(path)
    }
  }

  package func removeDirectory(_ path: String) throws(DiskError) {
    _ = try result(.removeDirectory, path) { unsafe rmdir(path) }
  }

  package func list(_ path: String) throws(DiskError) -> [String] {
    guard let directory = unsafe opendir(path) else {
      throw DiskError(call: .list, path: path, code: errno)
    }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while true {
      // The end and a failure both answer nil; only a failure sets `errno`.
      errno = 0
      guard let entry = unsafe readdir(directory) else { break }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw DiskError(call: .list, path: path, code: errno) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  package var bootID: UInt128 { Self.currentBootID }

  /// Read once: it cannot change while this process lives.
  private static let currentBootID: UInt128 = {
    #if canImport(Darwin)
      var text = [CChar](repeating: 0, count: 64)
      var length = text.count
      guard unsafe sysctlbyname("kern.bootsessionuuid", &text, &length, nil, 0) == 0 else {
        return 0
      }
      let bytes = text.map { UInt8(bitPattern: $0) }
    #else
      let path = "/proc/sys/kernel/random/boot_id"
      guard let bytes = try? POSIXFileSystem().contents(of: path, limit: 64) else { return 0 }
    #endif
    let digits = bytes.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return digits.count == 32 ? digits.reduce(0) { $0 << 4 | UInt128($1) } : 0
  }()
}

// MARK: - Results and errors

extension POSIXFileSystem {
  /// The result of `call`, repeated while a signal interrupts it; -1 becomes an error.
  private func result<T: SignedInteger>(
    _ call: DiskError.Call, _ path: @autoclosure () -> String, _ body: () -> T
  ) throws(DiskError) -> T {
    while true {
      let value = body()
      if value != -1 { return value }
      let code = errno
      guard code == EINTR else { throw DiskError(call: call, path: path(), code: code) }
    }
  }

  func result<T: SignedInteger>(
    _ call: DiskError.Call, _ file: FileNumber, _ body: () -> T
  ) throws(DiskError) -> T {
    try result(call, path(of: file), body)
  }

  private func openDescriptor(
    _ path: String, _ flags: Int32, for call: DiskError.Call
  ) throws(DiskError) -> Int32 {
    try result(call, path) { systemOpen(path, flags | O_CLOEXEC, 0o600) }
  }

  /// What to call an open file in an error: its path where the system tells, else its number.
  func path(of file: FileNumber) -> String {
    let code = errno
    defer { errno = code }
    #if canImport(Darwin)
      var buffer = [CChar](repeating: 0, count: Int(MAXPATHLEN))
      guard unsafe fcntl(file.rawValue, F_GETPATH, &buffer) == 0 else {
        return "file \(file.rawValue)"
      }
      return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #else
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe readlink("/proc/self/fd/\(file.rawValue)", &buffer, buffer.count)
      guard count > 0 else { return "file \(file.rawValue)" }
      return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    #endif
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    self.init(
      identity: Identity(
        device: UInt64(truncatingIfNeeded: status.st_dev),
        inode: UInt64(truncatingIfNeeded: status.st_ino)),
      length: Int64(status.st_size),
      isDirectory: status.st_mode & S_IFMT == S_IFDIR,
      linkCount: Int(status.st_nlink))
  }
}

// The system calls whose names the methods above share.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

private func systemClose(_ number: Int32) -> Int32 { close(number) }

private func systemRename(_ source: String, _ target: String) -> Int32 {
  unsafe rename(source, target)
}

private func systemUnlink(_ path: String) -> Int32 { unsafe unlink(path) }
