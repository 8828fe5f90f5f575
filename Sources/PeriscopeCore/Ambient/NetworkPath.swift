public import SegmentIndex

/// How far the network reaches.
public struct NetworkPath: AmbientEvent, Equatable {
  /// How far a packet can go.
  public enum Reach: String, Codable, Sendable {
    /// No interface is up.
    case offline
    /// To the neighbours: there is no way beyond them.
    case local
    /// There is a way out. Whether anybody answers there is another matter.
    case online
  }

  /// `ambient.network`.
  public static let eventName = "ambient.network"
  /// `network`.
  public static let ambientKind = "network"

  /// How far packets can go.
  public var reach: Reach
  /// The interfaces that are up, except the one to the machine itself; sorted.
  public var interfaces: [String]

  /// An event with these fields.
  public init(reach: Reach, interfaces: [String]) {
    self.reach = reach
    self.interfaces = interfaces
  }

  /// The reach.
  public var ambientState: String? { reach.rawValue }
  /// Without a network most programs can do little.
  public var level: LogLevel { reach == .online ? .info : .warning }
  /// The reach in words.
  public var message: String {
    let names = interfaces.isEmpty ? "" : " by \(interfaces.joined(separator: ", "))"
    return "the network is \(reach.rawValue)\(names)"
  }
}

extension AmbientProbe {
  /// The network, every 3 seconds: an event whenever the reach or the interfaces change.
  public static var network: AmbientProbe { .network(SystemFiles()) }

  package static func network(_ files: SystemFiles) -> AmbientProbe {
    AmbientProbe(every: .seconds(3)) { (last: NetworkPath?) in
      guard let path = NetworkPath(files), path != last else { return nil }
      return path
    }
  }
}

extension NetworkPath {
  init?(_ files: SystemFiles) {
    let directory = "sys/class/net"
    let names = files.names(directory)
    guard !names.isEmpty else { return nil }
    interfaces = names.filter { name in
      guard name != "lo" else { return false }
      // Tunnels and the like do not know their state, only whether something is connected.
      return switch files.word("\(directory)/\(name)/operstate") {
      case "up": true
      case "unknown": files.number("\(directory)/\(name)/carrier") == 1
      default: false
      }
    }
    var routes = files.bytes("proc/net/route").map(Self.defaultRoutes(ipv4:)) ?? []
    routes += files.bytes("proc/net/ipv6_route").map(Self.defaultRoutes(ipv6:)) ?? []
    reach =
      interfaces.isEmpty ? .offline : routes.contains(where: interfaces.contains) ? .online : .local
  }

  /// The interfaces of the default routes in `/proc/net/route`.
  package static func defaultRoutes(ipv4 table: [UInt8]) -> [String] {
    SystemTable.rows(table).compactMap { words in
      words.count >= 8 && isZero(words[1], digits: 8) && isZero(words[7], digits: 8)
        ? words[0] : nil
    }
  }

  /// The interfaces of the default routes in `/proc/net/ipv6_route`, except those that refuse everything.
  package static func defaultRoutes(ipv6 table: [UInt8]) -> [String] {
    SystemTable.rows(table).compactMap { words in
      words.count == 10 && isZero(words[0], digits: 32) && words[1] == "00" && words[9] != "lo"
        ? words[9] : nil
    }
  }

  private static func isZero(_ text: String, digits: Int) -> Bool {
    text.utf8.count == digits && text.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
  }
}
