package import JournalKit
import Synchronization

// The calls of the door.

extension SimulatedDisk {
  package func open(_ path: String, _ access: FileAccess) throws(DiskError) -> FileNumber {
    try call(.open, path, "\(access) \(path)") { state throws(DiskError) in
      let existing = state.names[path]
      switch access {
      case .read, .readWrite:
        guard existing != nil else { throw Self.error(.open, path, DiskError.noSuchFile) }
      case .createNew:
        guard existing == nil else { throw Self.error(.open, path, DiskError.fileExists) }
        try state.create(path, isDirectory: false, for: .open)
      case .createIfMissing:
        if existing == nil { try state.create(path, isDirectory: false, for: .open) }
      }
      let isWritable = if case .read = access { false } else { true }
      // Directories can be opened, too, but only for reading, which then fails.
      guard let inode = state.names[path], !isWritable || state.files[inode]?.isDirectory == false
      else { throw Self.error(.open, path, DiskError.isADirectory) }
      state.lastFile += 1
      let file = FileNumber(rawValue: state.lastFile)
      state.open[file] = OpenFile(inode: inode, isWritable: isWritable)
      return file
    }
  }

  package func close(_ file: FileNumber) throws(DiskError) {
    // The number is gone even when the call fails.
    let open = state.withLock { state in
      guard state.callsUntilStop.map({ $0 > 0 }) ?? true else { return state.open[file] }
      let open = state.open.removeValue(forKey: file)
      if open == nil { state.strayCloseCount += 1 }
      if let open, state.files[open.inode]?.lockHolder == file {
        state.files[open.inode]?.lockHolder = nil
      }
      return open
    }
    try call(.close, file, "") { state throws(DiskError) in
      guard open != nil else { throw Self.error(.close, file, DiskError.badFile) }
      state.removeUnnamed()
    }
  }

  package func read(
    _ file: FileNumber, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(DiskError) -> Int {
    let body = state.withLock { state in
      state.beforeRead?.left -= 1
      return state.beforeRead?.left == 0 ? state.beforeRead.take()?.body : nil
    }
    body?()
    let part = try call(.read, file) { state throws(DiskError) in
      let open = try state.file(file, for: .read)
      guard !open.isDirectory else { throw Self.error(.read, file, DiskError.isADirectory) }
      let content = open.content
      let start = min(Int(offset), content.count)
      let end = min(content.count - start, buffer.count, state.transferLimit) + start
      return Array(content[start..<end])
    }
    unsafe buffer.copyBytes(from: part)
    return part.count
  }

  package func nextData(_ file: FileNumber, from offset: Int64) throws(DiskError) -> Int64? {
    try call(.read, file) { state throws(DiskError) in
      offset < Int64(try state.file(file, for: .read).content.count) ? offset : nil
    }
  }

  package func write(
    _ file: FileNumber, _ bytes: RawSpan, at offset: Int64
  ) throws(DiskError) -> Int {
    let source = bytes.toArray()
    return try call(.write, file, "\(offset)+\(source.count)") { state throws(DiskError) in
      guard let inode = state.open[file]?.inode, state.open[file]?.isWritable == true else {
        throw Self.error(.write, file, DiskError.badFile)
      }
      let length = state.files[inode]?.content.count ?? 0
      let start = Int(offset)
      var count = min(source.count, state.transferLimit)
      if let room = state.freeSpace {
        // Overwriting needs no room; a write that only partly fits transfers what fits.
        count = min(count, max(0, length - start) + room)
        guard count > 0 || source.isEmpty else {
          throw Self.error(.write, file, DiskError.noSpace)
        }
      }
      if start + count > length { try state.resize(file, to: start + count, for: .write) }
      state.files[inode]?.content.replaceSubrange(start..<start + count, with: source[..<count])
      return count
    }
  }

  package func allocate(_ file: FileNumber, length: Int64) throws(DiskError) {
    try call(.allocate, file, "\(length)") { state throws(DiskError) in
      let current = try state.file(file, for: .allocate).content.count
      guard Int(length) > current else { return }
      if let room = state.freeSpace, Int(length) - current > room {
        throw Self.error(.allocate, file, DiskError.noSpace)
      }
      try state.resize(file, to: Int(length), for: .allocate)
    }
  }

  package func truncate(_ file: FileNumber, length: Int64) throws(DiskError) {
    try call(.truncate, file, "\(length)") { state throws(DiskError) in
      try state.resize(file, to: Int(length), for: .truncate)
    }
  }

  package func sync(_ file: FileNumber) throws(DiskError) {
    state.withLock { $0.beforeSync.take() }?()
    try call(.sync, file, "") { state throws(DiskError) in
      let content = try state.file(file, for: .sync).content
      if let inode = state.open[file]?.inode { state.files[inode]?.durable = content }
    }
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    try call(.syncDirectory, path, path) { state throws(DiskError) in
      try state.requireDirectory(path, for: .syncDirectory)
      for (child, _) in state.durableNames
      where FilePath.parent(of: child) == path && state.names[child] == nil {
        state.durableNames[child] = nil
      }
      for (child, inode) in state.names where FilePath.parent(of: child) == path {
        state.durableNames[child] = inode
      }
    }
  }

  package func map(_ file: FileNumber, length: Int) throws(DiskError) -> UnsafeRawBufferPointer {
    let content = try call(.map, file) { state throws(DiskError) in
      let open = try state.file(file, for: .map)
      guard !open.isDirectory else { throw Self.error(.map, file, DiskError.noSuchDevice) }
      return open.content
    }
    let region = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
    unsafe region.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe region.copyBytes(from: content.prefix(length))
    return UnsafeRawBufferPointer(region)
  }

  package func mapForWriting(
    _ file: FileNumber, length: Int
  ) throws(DiskError) -> UnsafeMutableRawBufferPointer {
    let region = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 4096)
    do throws(DiskError) {
      try call(.map, file, "\(length)") { state throws(DiskError) in
        let content = try state.file(file, for: .map).content
        guard content.count >= length, let inode = state.open[file]?.inode else {
          throw Self.error(.map, file, DiskError.badFile)
        }
        unsafe region.copyBytes(from: content.prefix(length))
        unsafe state.mappings[UInt(bitPattern: region.baseAddress)] = SimulatedDisk.Mapping(
          inode: inode, region: UnsafeRawBufferPointer(region))
      }
    } catch {
      unsafe region.deallocate()
      throw error
    }
    return unsafe region
  }

  package func unmap(_ region: UnsafeRawBufferPointer) {
    state.withLock { state in
      state.takeInMappings()
      state.mappings[UInt(bitPattern: region.baseAddress)] = nil
    }
    unsafe region.deallocate()
  }

  package func populate(_ region: UnsafeMutableRawBufferPointer) {
    let length = region.count
    state.withLock { $0.log.append("populate \(length)") }
  }

  package func space(at path: String) throws(DiskError) -> FileSystemSpace {
    try call(.status, path) { state throws(DiskError) in
      guard state.names[path] != nil else { throw Self.error(.status, path, DiskError.noSuchFile) }
      let used = state.files.values.reduce(0) { $0 + $1.content.count }
      let room = state.freeSpace ?? 1 << 40
      return FileSystemSpace(available: Int64(room), total: Int64(room + used))
    }
  }

  package func keepsAllocations(in path: String) throws(DiskError) -> Bool {
    try call(.status, path) { state throws(DiskError) in state.keepsAllocations }
  }

  package func lock(_ file: FileNumber) throws(DiskError) -> Bool {
    try call(.lock, file, "") { state throws(DiskError) in
      let holder = try state.file(file, for: .lock).lockHolder
      guard holder == nil || holder == file || state.ignoresLocks else { return false }
      if let inode = state.open[file]?.inode { state.files[inode]?.lockHolder = file }
      return true
    }
  }

  package func unlock(_ file: FileNumber) throws(DiskError) {
    try call(.lock, file, "") { state throws(DiskError) in
      guard let inode = state.open[file]?.inode else {
        throw Self.error(.lock, file, DiskError.badFile)
      }
      if state.files[inode]?.lockHolder == file { state.files[inode]?.lockHolder = nil }
    }
  }

  package func status(of file: FileNumber) throws(DiskError) -> FileStatus {
    try call(.status, file) { state throws(DiskError) in
      _ = try state.file(file, for: .status)
      return state.status(ofInode: state.open[file]?.inode ?? 0)
    }
  }

  package func status(at path: String) throws(DiskError) -> FileStatus? {
    try call(.status, path) { state throws(DiskError) in
      state.names[path].map { state.status(ofInode: $0) }
    }
  }

  package func rename(
    _ source: String, to target: String, replacing: Bool
  ) throws(DiskError) {
    try call(.rename, source, "\(source) -> \(target)") { state throws(DiskError) in
      guard let inode = state.names[source] else {
        throw Self.error(.rename, source, DiskError.noSuchFile)
      }
      guard replacing || state.names[target] == nil else {
        throw Self.error(.rename, source, DiskError.fileExists)
      }
      try state.requireDirectory(FilePath.parent(of: target) ?? "/", for: .rename)
      state.names[source] = nil
      state.names[target] = inode
      state.removeUnnamed()
    }
  }

  package func unlink(_ path: String) throws(DiskError) {
    try call(.unlink, path, path) { state throws(DiskError) in
      guard let inode = state.names[path] else {
        throw Self.error(.unlink, path, DiskError.noSuchFile)
      }
      guard state.files[inode]?.isDirectory == false else {
        throw Self.error(.unlink, path, DiskError.isADirectory)
      }
      state.names[path] = nil
      state.removeUnnamed()
    }
  }

  package func createDirectory(_ path: String) throws(DiskError) {
    try call(.createDirectory, path, path) { state throws(DiskError) in
      var prefix = ""
      for component in path.split(separator: "/") {
        prefix += "/\(component)"
        if let inode = state.names[prefix] {
          guard state.files[inode]?.isDirectory == true else {
            throw Self.error(.createDirectory, path, DiskError.fileExists)
          }
        } else {
          try state.create(prefix, isDirectory: true, for: .createDirectory)
        }
      }
    }
  }

  package func removeDirectory(_ path: String) throws(DiskError) {
    try call(.removeDirectory, path, path) { state throws(DiskError) in
      try state.requireDirectory(path, for: .removeDirectory)
      guard !state.names.keys.contains(where: { FilePath.parent(of: $0) == path }) else {
        throw Self.error(.removeDirectory, path, DiskError.directoryNotEmpty)
      }
      state.names[path] = nil
      state.removeUnnamed()
    }
  }

  package func list(_ path: String) throws(DiskError) -> [String] {
    guard let (isLate, body) = state.withLock({ $0.duringList.take() }) else {
      return try names(in: path)
    }
    let early = try names(in: path).filter { !isLate($0) }
    body()
    return (early + (try names(in: path)).filter(isLate))
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func names(in path: String) throws(DiskError) -> [String] {
    try call(.list, path) { state throws(DiskError) in
      try state.requireDirectory(path, for: .list)
      return state.names.keys.filter { $0 != "/" && FilePath.parent(of: $0) == path }
        .map(FilePath.name(of:))
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }
}

// MARK: - Counting, failing, and the parts of calls

extension SimulatedDisk.Fault {
  fileprivate func matches(_ call: DiskError.Call, _ path: String) -> Bool {
    guard call == self.call ?? call, let place = self.path else { return call == self.call ?? call }
    return path == place || path.hasPrefix(place + "/")
  }
}

extension SimulatedDisk {
  private func call<T>(
    _ call: DiskError.Call, _ path: String, _ text: String? = nil,
    _ body: (inout State) throws(DiskError) -> T
  ) throws(DiskError) -> T {
    let before = state.withLock { state in
      state.beforeCall?.left -= 1
      return state.beforeCall?.left == 0 ? state.beforeCall.take()?.body : nil
    }
    before?()
    return try state.withLock { state throws(DiskError) in
      state.takeInMappings()
      state.callCount += 1
      if let text { state.log.append("\(call) \(text)") }
      if let left = state.callsUntilStop {
        if left == 0 { state.mappings = [:] }
        state.callsUntilStop = max(left - 1, -1)
        guard left > 0 else { throw Self.error(call, path, DiskError.inputOutput) }
      }
      var code: Int32?
      for index in state.faults.indices where state.faults[index].matches(call, path) {
        state.faults[index].occurrence -= 1
        let left = state.faults[index].occurrence
        if left == 0 || left < 0 && state.faults[index].repeats { code = state.faults[index].code }
      }
      if let code { throw Self.error(call, path, code) }
      return try body(&state)
    }
  }

  private func call<T>(
    _ call: DiskError.Call, _ file: FileNumber, _ text: String? = nil,
    _ body: (inout State) throws(DiskError) -> T
  ) throws(DiskError) -> T {
    let path = state.withLock { state in
      let inode = state.open[file]?.inode
      return state.names.first { $0.value == inode }?.key ?? "file \(file.rawValue)"
    }
    return try self.call(call, path, text.map { "\(path) \($0)" }, body)
  }

  static func error(_ call: DiskError.Call, _ path: String, _ code: Int32) -> DiskError {
    DiskError(call: call, path: path, code: code)
  }

  static func error(_ call: DiskError.Call, _ file: FileNumber, _ code: Int32) -> DiskError {
    DiskError(call: call, path: "file \(file.rawValue)", code: code)
  }
}

extension SimulatedDisk.State {
  var freeSpace: Int? {
    // A file that was deleted takes no space, although a loss of power may bring it back.
    let used = Set(names.values).union(open.values.map(\.inode))
    return capacity.map { capacity in
      files.reduce(capacity) { $0 - (used.contains($1.key) ? $1.value.content.count : 0) }
    }
  }

  func file(
    _ number: FileNumber, for call: DiskError.Call
  ) throws(DiskError) -> SimulatedDisk.File {
    guard let inode = open[number]?.inode, let file = files[inode] else {
      throw SimulatedDisk.error(call, number, DiskError.badFile)
    }
    return file
  }

  func requireDirectory(_ path: String, for call: DiskError.Call) throws(DiskError) {
    guard let inode = names[path] else {
      throw SimulatedDisk.error(call, path, DiskError.noSuchFile)
    }
    guard files[inode]?.isDirectory == true else {
      throw SimulatedDisk.error(call, path, DiskError.notADirectory)
    }
  }

  mutating func create(
    _ path: String, isDirectory: Bool, for call: DiskError.Call
  ) throws(DiskError) {
    try requireDirectory(FilePath.parent(of: path) ?? "/", for: call)
    lastInode += 1
    files[lastInode] = SimulatedDisk.File(isDirectory: isDirectory)
    names[path] = lastInode
  }

  mutating func resize(
    _ number: FileNumber, to length: Int, for call: DiskError.Call
  ) throws(DiskError) {
    let current = try file(number, for: call).content.count
    guard let inode = open[number]?.inode else { return }
    if length < current {
      files[inode]?.content.removeLast(current - length)
    } else {
      files[inode]?.content += [UInt8](repeating: 0, count: length - current)
    }
  }

  func status(ofInode inode: UInt64) -> FileStatus {
    let isDirectory = files[inode]?.isDirectory ?? false
    return FileStatus(
      identity: FileStatus.Identity(device: 1, inode: inode),
      length: isDirectory ? 4_096 : Int64(files[inode]?.content.count ?? 0),
      isDirectory: isDirectory,
      linkCount: names.values.count { $0 == inode })
  }
}
