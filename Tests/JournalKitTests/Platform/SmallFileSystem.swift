import Foundation
import Testing

/// A real file system of a few megabytes, mounted for a test and gone with it. Needs to be root.
final class SmallFileSystem {
  enum Kind: String, CaseIterable {
    case ext4, tmpfs
  }

  let path: String
  private let home: URL

  /// Why there can be none; nil when there can.
  static let obstacle: String? = {
    guard geteuid() == 0 else { return "only root may mount file systems" }
    for kind in Kind.allCases where (try? SmallFileSystem(kind)) == nil {
      return "\(kind) cannot be mounted here"
    }
    return nil
  }()

  init(_ kind: Kind, megabytes: Int = 8) throws {
    home = FileManager.default.temporaryDirectory
      .appendingPathComponent("periscope-mount-\(UUID().uuidString)")
    path = home.appendingPathComponent("root").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    do {
      switch kind {
      case .tmpfs: try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
      case .ext4:
        let image = home.appendingPathComponent("image").path
        try Self.run("truncate", "-s", "\(megabytes)M", image)
        try Self.run("mkfs.ext4", "-q", "-F", "-m", "0", image)
        try Self.run("mount", "-o", "loop", image, path)
      }
    } catch {
      try? FileManager.default.removeItem(at: home)
      throw error
    }
  }

  deinit {
    // Later, if it is busy.
    try? Self.run("umount", "-l", path)
    try? FileManager.default.removeItem(at: home)
  }

  /// Leaves no space to anyone else.
  func fill() throws {
    let file = path + "/filler"
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: file))
    for length in [1 << 20, 1 << 12, 1] {
      let part = Data(repeating: 1, count: length)
      while (try? handle.write(contentsOf: part)) != nil {}
    }
    try? handle.synchronize()
    try handle.close()
  }

  /// Takes back what `fill` did.
  func empty() throws {
    try FileManager.default.removeItem(atPath: path + "/filler")
  }

  private struct Failure: Error {
    let command: [String]
  }

  private static func run(_ command: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(command: command) }
  }
}
