public import SegmentIndex

/// Where the machine's power comes from.
public struct PowerSupply: AmbientEvent, Equatable {
  /// Where power comes from.
  public enum Source: String, Codable, Sendable {
    /// It is plugged in.
    case mains
    /// It lives on its battery.
    case battery
    /// The battery lasts for a few minutes only.
    case batteryLow = "battery-low"
  }

  /// `ambient.power`.
  public static let eventName = "ambient.power"
  /// `power`.
  public static let ambientKind = "power"

  /// Where power comes from.
  public var source: Source
  /// How full the battery is; nil when there is none.
  public var batteryPercent: Int?

  /// An event with these fields.
  public init(source: Source, batteryPercent: Int? = nil) {
    self.source = source
    self.batteryPercent = batteryPercent
  }

  /// The source.
  public var ambientState: String? { source.rawValue }
  /// A battery that is nearly empty is a warning.
  public var level: LogLevel { source == .batteryLow ? .warning : .info }
  /// The source in words.
  public var message: String {
    "power comes from \(source.rawValue)" + (batteryPercent.map { ", battery at \($0) %" } ?? "")
  }
}

extension AmbientProbe {
  /// The power supply, every 10 seconds: an event whenever the source changes.
  public static var powerSupply: AmbientProbe { .powerSupply(SystemFiles()) }

  package static func powerSupply(_ files: SystemFiles) -> AmbientProbe {
    AmbientProbe(every: .seconds(10)) { (last: PowerSupply?) in
      guard let supply = PowerSupply(files, after: last?.source), supply.source != last?.source
      else { return nil }
      return supply
    }
  }
}

extension PowerSupply {
  /// Nil for a machine that does not say, as most that are always plugged in.
  init?(_ files: SystemFiles, after last: Source?) {
    let directory = "sys/class/power_supply"
    var isPluggedIn: Bool?
    var isDischarging: Bool?
    var percent: Int?
    for name in files.names(directory) {
      let supply = "\(directory)/\(name)/"
      // A mouse has a battery, too.
      guard files.word(supply + "scope") != "Device" else { continue }
      switch files.word(supply + "type") {
      case "Mains", "USB", "Wireless":
        guard let isOnline = files.number(supply + "online") else { continue }
        isPluggedIn = isPluggedIn == true || isOnline != 0
      case "Battery":
        guard let status = files.word(supply + "status") else { continue }
        isDischarging = isDischarging == true || status == "Discharging"
        guard let capacity = files.number(supply + "capacity"), (0...100).contains(capacity)
        else { continue }
        percent = max(percent ?? 0, Int(capacity))
      default: continue
      }
    }
    guard isPluggedIn != nil || isDischarging != nil else { return nil }
    batteryPercent = percent
    if isPluggedIn ?? (isDischarging != true) {
      source = .mains
    } else {
      source = (percent ?? 100) <= (last == .batteryLow ? 15 : 10) ? .batteryLow : .battery
    }
  }
}
