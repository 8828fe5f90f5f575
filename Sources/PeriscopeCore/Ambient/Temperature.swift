public import SegmentIndex

/// How hot the machine is, by what it will do about it.
public struct Temperature: AmbientEvent, Equatable {
  /// What the heat means.
  public enum State: String, Codable, Sendable, CaseIterable {
    /// Nothing.
    case nominal
    /// The machine begins to cool itself, by slowing down if need be.
    case fair
    /// It is slow.
    case serious
    /// It is about to switch itself off.
    case critical
  }

  /// `ambient.thermal`.
  public static let eventName = "ambient.thermal"
  /// `thermal`.
  public static let ambientKind = "thermal"

  /// What the heat means.
  public var state: State
  /// Degrees of the part of which that is true.
  public var celsius: Double
  /// What the system calls the part.
  public var zone: String

  /// An event with these fields.
  public init(state: State, celsius: Double, zone: String) {
    self.state = state
    self.celsius = celsius
    self.zone = zone
  }

  /// The state.
  public var ambientState: String? { state.rawValue }
  /// The hotter, the more serious.
  public var level: LogLevel {
    switch state {
    case .nominal, .fair: .info
    case .serious: .warning
    case .critical: .error
    }
  }
  /// The state in words.
  public var message: String {
    "the temperature is \(state.rawValue): \(Int(celsius.rounded())) °C in \(zone)"
  }
}

extension AmbientProbe {
  /// Temperatures, every 10 seconds: an event whenever the worst state of all parts changes.
  public static var temperature: AmbientProbe { .temperature(SystemFiles()) }

  package static func temperature(_ files: SystemFiles) -> AmbientProbe {
    AmbientProbe(every: .seconds(10)) { (last: Temperature?) in
      let zones = ThermalZone.all(files)
      let states = zones.map { $0.state(after: last?.state ?? .nominal) }
      guard let worst = states.map(\.rank).max(),
        let index = states.firstIndex(where: { $0.rank == worst }),
        states[index] != last?.state
      else { return nil }
      return Temperature(
        state: states[index], celsius: zones[index].celsius, zone: zones[index].name)
    }
  }
}

extension Temperature.State {
  fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// One part's temperature, and those at which something happens; degrees Celsius.
package struct ThermalZone: Equatable {
  package var name: String
  package var celsius: Double
  /// From where on the machine cools itself, is hot, and switches itself off.
  package var passive: Double?
  package var hot: Double?
  package var critical: Double?

  package init(
    name: String, celsius: Double, passive: Double? = nil, hot: Double? = nil,
    critical: Double? = nil
  ) {
    self.name = name
    self.celsius = celsius
    (self.passive, self.hot, self.critical) = (passive, hot, critical)
  }

  static func all(_ files: SystemFiles) -> [ThermalZone] {
    let directory = "sys/class/thermal"
    return files.names(directory, prefix: "thermal_zone").compactMap { name in
      ThermalZone(files, "\(directory)/\(name)", name)
    }
  }

  private init?(_ files: SystemFiles, _ directory: String, _ name: String) {
    guard let celsius = files.number(directory + "/temp").flatMap(Self.celsius) else { return nil }
    self.init(name: files.word(directory + "/type") ?? name, celsius: celsius)
    // They are numbered from 0 without holes.
    for number in 0..<16 {
      let trip = "\(directory)/trip_point_\(number)_"
      guard let type = files.word(trip + "type") else { return }
      // What nobody has set is 0, or below absolute zero.
      guard let degrees = files.number(trip + "temp").flatMap(Self.celsius), degrees > 0
      else { continue }
      switch type {
      case "passive": passive = min(passive ?? degrees, degrees)
      case "hot": hot = min(hot ?? degrees, degrees)
      case "critical": critical = min(critical ?? degrees, degrees)
      default: break
      }
    }
  }

  /// The degrees of a number of thousandths; nil when nothing can be that hot or cold.
  private static func celsius(_ thousandths: Int64) -> Double? {
    (-100_000...300_000).contains(thousandths) ? Double(thousandths) / 1_000 : nil
  }

  /// What the temperature means. It must sink by 3 degrees for a state to be over.
  package func state(after last: Temperature.State) -> Temperature.State {
    func reaches(_ state: Temperature.State, _ limit: Double) -> Bool {
      celsius >= (last.rank >= state.rank ? limit - 3 : limit)
    }
    let end = critical ?? 105
    let hot = self.hot ?? end - 10
    let fair = min(passive ?? hot - 10, hot)
    if reaches(.critical, end - 3) { return .critical }
    if reaches(.serious, hot) { return .serious }
    if reaches(.fair, fair) { return .fair }
    return .nominal
  }
}
