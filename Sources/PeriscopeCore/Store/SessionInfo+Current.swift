package import JournalKit
public import SegmentIndex

extension SessionInfo {
  /// A new session of this process, starting now, on this machine.
  ///
  /// - Parameter app: the program and its version, such as `Shop 3.2.1`.
  public static func current(app: String) -> SessionInfo {
    current(app: app, environment: JournalEnvironment())
  }

  package static func current(app: String, environment: JournalEnvironment) -> SessionInfo {
    /// A line that the Linux kernel tells about itself; empty where there is no such file.
    func kernel(_ name: String) -> String {
      let bytes = try? environment.fileSystem.contents(of: "/proc/sys/kernel/" + name, limit: 256)
      return String(decoding: (bytes ?? []).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
    let os = [kernel("ostype"), kernel("osrelease")].filter { !$0.isEmpty }.joined(separator: " ")
    return SessionInfo(
      id: UniqueID(), start: environment.clock.now(), app: app, os: os, device: kernel("hostname"))
  }
}
