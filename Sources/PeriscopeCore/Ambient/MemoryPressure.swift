public import SegmentIndex

/// How much memory there is left for this program.
public struct MemoryPressure: AmbientEvent, Equatable {
  /// `ambient.memory`.
  public static let eventName = "ambient.memory"
  /// `memory`.
  public static let ambientKind = "memory"

  /// How scarce memory is.
  public var pressure: AmbientPressure
  /// Bytes that can be had without swapping.
  public var availableBytes: Int64
  /// All bytes: the machine's, or those that the container may use.
  public var totalBytes: Int64
  /// For how much of the last ten seconds something had to wait for memory, in percent; nil where nobody says.
  public var stalledPercent: Double?

  /// An event with these fields.
  public init(
    pressure: AmbientPressure, availableBytes: Int64, totalBytes: Int64,
    stalledPercent: Double? = nil
  ) {
    self.pressure = pressure
    self.availableBytes = availableBytes
    self.totalBytes = totalBytes
    self.stalledPercent = stalledPercent
  }

  /// The pressure.
  public var ambientState: String? { pressure.rawValue }
  /// The scarcer, the more serious.
  public var level: LogLevel { pressure.level }
  /// The pressure in words.
  public var message: String {
    "memory is \(pressure.rawValue): \(availableBytes >> 20) of \(totalBytes >> 20) MiB available"
  }
}

extension AmbientProbe {
  /// Memory, every 5 seconds: an event whenever the pressure changes.
  public static var memoryPressure: AmbientProbe { .memoryPressure(SystemFiles()) }

  package static func memoryPressure(_ files: SystemFiles) -> AmbientProbe {
    AmbientProbe(every: .seconds(5)) { (last: MemoryPressure?) in
      guard let reading = MemoryReading(files) else { return nil }
      let pressure = reading.pressure(after: last?.pressure ?? .normal)
      guard pressure != last?.pressure else { return nil }
      return MemoryPressure(
        pressure: pressure, availableBytes: reading.available, totalBytes: reading.total,
        stalledPercent: reading.some)
    }
  }
}

/// What the system says of its memory at one time.
package struct MemoryReading: Equatable {
  /// Bytes, more than 0.
  package var total: Int64
  /// Bytes, from 0 to `total`.
  package var available: Int64
  /// For how much of the last ten seconds something waited, and everything did, in percent.
  package var some: Double?
  package var full: Double?

  package init(total: Int64, available: Int64, some: Double? = nil, full: Double? = nil) {
    (self.total, self.available, self.some, self.full) = (total, available, some, full)
  }

  init?(_ files: SystemFiles) {
    guard let table = files.bytes("proc/meminfo") else { return nil }
    self.init(meminfo: table)
    if let stalls = files.bytes("proc/pressure/memory") { read(pressure: stalls) }
    // What a container may use, where there is a limit.
    let group = "sys/fs/cgroup/memory."
    guard let limit = files.number(group + "max"), let used = files.number(group + "current")
    else { return }
    let statistics = files.bytes(group + "stat").map(SystemTable.values) ?? [:]
    restrict(to: limit, used: used, reclaimable: statistics["inactive_file"] ?? 0)
  }

  /// Reads `/proc/meminfo`.
  package init?(meminfo: [UInt8]) {
    let values = SystemTable.values(meminfo)
    guard let total = values["MemTotal"], total > 0, let available = values["MemAvailable"]
    else { return nil }
    self.init(total: total, available: min(max(0, available), total))
  }

  /// Reads `/proc/pressure/memory`.
  package mutating func read(pressure: [UInt8]) {
    for words in SystemTable.rows(pressure) {
      guard let text = words.dropFirst().first(where: { $0.hasPrefix("avg10=") }),
        let percent = Double(text.dropFirst("avg10=".count)), (0...100).contains(percent)
      else { continue }
      if words[0] == "some" { some = percent }
      if words[0] == "full" { full = percent }
    }
  }

  /// Takes a container's limit into account, if it is one.
  package mutating func restrict(to limit: Int64, used: Int64, reclaimable: Int64) {
    guard limit > 0, limit < total, used >= 0 else { return }
    total = limit
    // The page cache of a container counts as used, and goes when it must.
    let kept = used - min(max(0, reclaimable), used)
    available = min(available, max(0, limit - kept))
  }

  /// How scarce memory is. It must get better by a half for the pressure to be over, so that it does not come and go.
  package func pressure(after last: AmbientPressure) -> AmbientPressure {
    func isAtLeast(
      _ level: AmbientPressure, below share: Double, _ stall: Double?, _ limit: Double
    )
      -> Bool
    {
      let margin = last >= level ? 1.5 : 1
      return Double(available) < share * margin * Double(total)
        || (stall ?? 0) >= limit / margin
    }
    if isAtLeast(.critical, below: 0.03, full, 20) { return .critical }
    if isAtLeast(.warning, below: 0.10, some, 20) { return .warning }
    return .normal
  }
}
