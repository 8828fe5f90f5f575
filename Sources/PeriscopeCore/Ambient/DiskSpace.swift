package import JournalKit
public import SegmentIndex

/// How much room there is in a file system.
public struct DiskSpace: AmbientEvent, Equatable {
  /// `ambient.disk`.
  public static let eventName = "ambient.disk"
  /// `disk`.
  public static let ambientKind = "disk"

  /// How scarce room is.
  public var pressure: AmbientPressure
  /// A directory of the file system.
  public var path: String
  /// Bytes that this program can still write.
  public var availableBytes: Int64
  /// All bytes.
  public var totalBytes: Int64

  /// An event with these fields.
  public init(
    pressure: AmbientPressure, path: String, availableBytes: Int64, totalBytes: Int64
  ) {
    self.pressure = pressure
    self.path = path
    self.availableBytes = availableBytes
    self.totalBytes = totalBytes
  }

  /// The pressure.
  public var ambientState: String? { pressure.rawValue }
  /// The scarcer, the more serious.
  public var level: LogLevel { pressure.level }
  /// The pressure in words.
  public var message: String {
    "disk space is \(pressure.rawValue): \(availableBytes >> 20) of \(totalBytes >> 20) MiB available"
  }
}

extension AmbientProbe {
  /// The room in the file system that `path` is in, every 15 seconds: an event whenever the pressure changes.
  public static func diskSpace(at path: String) -> AmbientProbe {
    .diskSpace(at: path, SystemFiles())
  }

  package static func diskSpace(at path: String, _ files: SystemFiles) -> AmbientProbe {
    AmbientProbe(every: .seconds(15)) { (last: DiskSpace?) in
      guard let space = files.space(at: path) else { return nil }
      let pressure = DiskSpace.pressure(of: space, after: last?.pressure ?? .normal)
      guard pressure != last?.pressure else { return nil }
      return DiskSpace(
        pressure: pressure, path: path, availableBytes: space.available, totalBytes: space.total)
    }
  }
}

extension DiskSpace {
  /// How scarce room is: a share of small disks, and an amount of large ones. It must get better by a half for the
  /// pressure to be over.
  package static func pressure(
    of space: FileSystemSpace, after last: AmbientPressure
  ) -> AmbientPressure {
    func isAtLeast(_ level: AmbientPressure, part: Int64, most: Int64) -> Bool {
      let limit = min(space.total / part, most)
      return space.available < (last >= level ? limit + limit / 2 : limit)
    }
    if isAtLeast(.critical, part: 100, most: 512 << 20) { return .critical }
    if isAtLeast(.warning, part: 20, most: 4 << 30) { return .warning }
    return .normal
  }
}
