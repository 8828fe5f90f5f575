import JournalKit
import PeriscopeCore
import TestSupport
import Testing

@Suite struct SystemProbeTests {
  private let machine = Surroundings()

  // MARK: Disk

  @Test func diskSpaceIsAShareOfSmallDisksAndAnAmountOfLargeOnes() {
    func pressure(
      _ available: Int64, of total: Int64, _ last: AmbientPressure = .normal
    ) -> AmbientPressure {
      DiskSpace.pressure(of: FileSystemSpace(available: available, total: total), after: last)
    }
    #expect(
      [60, 50, 49, 10, 9].map { pressure($0, of: 1_000) }
        == [.normal, .normal, .warning, .warning, .critical])
    let tebibyte: Int64 = 1 << 40
    #expect(pressure(4 << 30, of: 100 * tebibyte) == .normal)
    #expect(pressure((4 << 30) - 1, of: 100 * tebibyte) == .warning)
    #expect(pressure((512 << 20) - 1, of: 100 * tebibyte) == .critical)
    #expect(pressure(74, of: 1_000, .warning) == .warning)
    #expect(pressure(75, of: 1_000, .warning) == .normal)
    #expect(pressure(0, of: 0) == .normal)
    #expect(pressure(.max, of: .max) == .normal)
  }

  @Test func theDiskProbeTellsOfChanges() throws {
    try machine.disk.createDirectory("/data")
    let probe = AmbientProbe.diskSpace(at: "/data", machine.files)
    let first = try #require(probe.ask() as? DiskSpace)
    #expect(first.pressure == .normal)
    #expect(first.path == "/data")
    #expect(probe.ask(after: first) == nil)
    #expect(AmbientProbe.diskSpace(at: "/nowhere", machine.files).ask() == nil)
  }

  @Test func thisMachineHasADisk() throws {
    let space = try POSIXFileSystem().space(at: "/")
    #expect(space.total > 0)
    #expect(space.available >= 0 && space.available <= space.total)
  }

  // MARK: Network

  private func interface(_ name: String, _ state: String, carrier: String? = nil) throws {
    try machine.write("sys/class/net/\(name)/operstate", state + "\n")
    if let carrier { try machine.write("sys/class/net/\(name)/carrier", carrier + "\n") }
  }

  private static let routes = """
    Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
    eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
    eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
    """

  @Test func theNetworkReachesAsFarAsItsRoutes() throws {
    let probe = AmbientProbe.network(machine.files)
    #expect(probe.ask() == nil)
    try interface("lo", "unknown", carrier: "1")
    try interface("eth0", "down")
    #expect((probe.ask() as? NetworkPath)?.reach == .offline)
    try interface("eth0", "up")
    let local = try #require(probe.ask() as? NetworkPath)
    #expect(local == NetworkPath(reach: .local, interfaces: ["eth0"]))
    try machine.write("proc/net/route", Self.routes)
    let online = try #require(probe.ask(after: local) as? NetworkPath)
    #expect(online.reach == .online)
    #expect(online.level == .info)
    #expect(probe.ask(after: online) == nil)
    // Another interface is news, even when as much can be reached.
    try interface("tun0", "unknown", carrier: "1")
    #expect((probe.ask(after: online) as? NetworkPath)?.interfaces == ["eth0", "tun0"])
    try interface("eth0", "dormant")
    #expect((probe.ask(after: online) as? NetworkPath)?.reach == .local)
  }

  @Test func routesOfBothVersionsCount() {
    let ipv6 = """
      00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
      fe800000000000000000000000000001 00000400 00000001 00000000 00000003 wlan0
      fe800000000000000000000000000000 40 00000000000000000000000000000000 00 \
      00000000000000000000000000000000 00000100 00000001 00000000 00000001 wlan0
      00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
      00000000000000000000000000000000 ffffffff 00000001 00000000 00200200 lo
      """
    #expect(NetworkPath.defaultRoutes(ipv6: Array(ipv6.utf8)) == ["wlan0"])
    #expect(NetworkPath.defaultRoutes(ipv4: Array(Self.routes.utf8)) == ["eth0"])
    for junk in ["", "\t\t\t", "a b", String(repeating: "0 ", count: 10_000), "\u{0}\u{FFFD}"] {
      #expect(NetworkPath.defaultRoutes(ipv4: Array(junk.utf8)).isEmpty)
      #expect(NetworkPath.defaultRoutes(ipv6: Array(junk.utf8)).isEmpty)
    }
  }

  // MARK: Temperature

  private func zone(_ number: Int, _ thousandths: String, trips: [(String, String)] = []) throws {
    let zone = "sys/class/thermal/thermal_zone\(number)/"
    try machine.write(zone + "type", "part-\(number)\n")
    try machine.write(zone + "temp", thousandths + "\n")
    for (index, trip) in trips.enumerated() {
      try machine.write(zone + "trip_point_\(index)_type", trip.0 + "\n")
      try machine.write(zone + "trip_point_\(index)_temp", trip.1 + "\n")
    }
  }

  @Test func theHottestPartDecides() throws {
    let probe = AmbientProbe.temperature(machine.files)
    #expect(probe.ask() == nil)
    try zone(0, "40000", trips: [("passive", "60000"), ("critical", "100000"), ("hot", "80000")])
    try zone(1, "30000")
    let first = try #require(probe.ask() as? Temperature)
    #expect(first.state == .nominal)
    #expect(probe.ask(after: first) == nil)
    try zone(0, "61000")
    let second = try #require(probe.ask(after: first) as? Temperature)
    #expect(second == Temperature(state: .fair, celsius: 61, zone: "part-0"))
    try zone(0, "58000")
    #expect(probe.ask(after: second) == nil)
    try zone(0, "56000")
    #expect((probe.ask(after: second) as? Temperature)?.state == .nominal)
    try zone(1, "103000")
    #expect((probe.ask(after: second) as? Temperature)?.zone == "part-1")
    #expect((probe.ask(after: second) as? Temperature)?.state == .critical)
  }

  @Test func statesFollowTheMachinesOwnLimits() {
    func state(_ celsius: Double, _ last: Temperature.State = .nominal) -> Temperature.State {
      ThermalZone(name: "cpu", celsius: celsius, passive: 70, hot: 85, critical: 100)
        .state(after: last)
    }
    #expect([20, 70, 85, 97].map { state($0) } == [.nominal, .fair, .serious, .critical])
    #expect(state(83, .serious) == .serious)
    #expect(state(81, .serious) == .fair)
    #expect(ThermalZone(name: "cpu", celsius: 80).state(after: .nominal) == .nominal)
    #expect(ThermalZone(name: "cpu", celsius: 86).state(after: .nominal) == .fair)
  }

  @Test(arguments: ["", "x", "-274001", "999999999", "9223372036854775808", "40 000", "4e4"])
  func aTemperatureThatCannotBeIsNone(text: String) throws {
    try zone(0, text)
    #expect(AmbientProbe.temperature(machine.files).ask() == nil)
  }

  @Test func limitsThatCannotBeAreNone() throws {
    try zone(0, "50000", trips: [("passive", "0"), ("hot", "-274000"), ("critical", "x")])
    #expect((AmbientProbe.temperature(machine.files).ask() as? Temperature)?.state == .nominal)
  }

  // MARK: Power

  private func supply(_ name: String, _ values: [String: String]) throws {
    for (key, value) in values {
      try machine.write("sys/class/power_supply/\(name)/\(key)", value + "\n")
    }
  }

  @Test func powerComesFromSomewhere() throws {
    let probe = AmbientProbe.powerSupply(machine.files)
    #expect(probe.ask() == nil)
    try supply("AC", ["type": "Mains", "online": "1"])
    try supply("BAT0", ["type": "Battery", "status": "Charging", "capacity": "80"])
    try supply("mouse", ["type": "Battery", "scope": "Device", "status": "Discharging"])
    let mains = try #require(probe.ask() as? PowerSupply)
    #expect(mains == PowerSupply(source: .mains, batteryPercent: 80))
    #expect(probe.ask(after: mains) == nil)
    try supply("AC", ["online": "0"])
    try supply("BAT0", ["status": "Discharging"])
    let battery = try #require(probe.ask(after: mains) as? PowerSupply)
    #expect(battery.source == .battery)
    try supply("BAT0", ["capacity": "10"])
    let low = try #require(probe.ask(after: battery) as? PowerSupply)
    #expect(low.ambientState == "battery-low")
    #expect(low.level == .warning)
    try supply("BAT0", ["capacity": "12"])
    #expect(probe.ask(after: low) == nil)
    try supply("BAT0", ["capacity": "16"])
    #expect((probe.ask(after: low) as? PowerSupply)?.source == .battery)
  }

  @Test func aBatteryThatSaysNonsenseIsAskedNoMore() throws {
    try supply("BAT0", ["type": "Battery", "status": "Discharging", "capacity": "250"])
    let event = try #require(AmbientProbe.powerSupply(machine.files).ask() as? PowerSupply)
    #expect(event == PowerSupply(source: .battery, batteryPercent: nil))
    try supply("BAT1", ["type": String(repeating: "Battery ", count: 100)])
    try supply("USB", ["type": "USB", "online": "maybe"])
    #expect(AmbientProbe.powerSupply(machine.files).ask(after: event) == nil)
  }

  // MARK: All of them

  @Test func filesThatAreTooLongOrAreNotTextAreNotThere() throws {
    try machine.write("sys/class/thermal/thermal_zone0/temp", [UInt8](repeating: 0xff, count: 64))
    try machine.write("proc/meminfo", [UInt8](repeating: 0x41, count: 1 << 20))
    #expect(AmbientProbe.temperature(machine.files).ask() == nil)
    #expect(AmbientProbe.memoryPressure(machine.files).ask() == nil)
  }

  @Test func whatAMachineTellsIsUnderstood() {
    // Whatever there is on this one: it must not trap, and what there is must make sense.
    for probe in [AmbientProbe.memoryPressure, .network, .temperature, .powerSupply] {
      let event = probe.ask()
      #expect(event.map { !$0.message.isEmpty && $0.ambientState != nil } ?? true)
    }
  }
}
