import PeriscopeCore
import TestSupport
import Testing

@Suite struct MemoryPressureTests {
  private static let meminfo = """
    MemTotal:       1000000 kB
    MemFree:         100000 kB
    MemAvailable:    600000 kB
    HugePages_Total:       0
    """

  private static let stalls = """
    some avg10=12.50 avg60=0.00 avg300=0.00 total=1
    full avg10=3.25 avg60=0.00 avg300=0.00 total=0
    """

  private func read(_ meminfo: String) -> MemoryReading? {
    MemoryReading(meminfo: Array(meminfo.utf8))
  }

  @Test func theTableIsRead() throws {
    var reading = try #require(read(Self.meminfo))
    #expect(reading == MemoryReading(total: 1_024_000_000, available: 614_400_000))
    reading.read(pressure: Array(Self.stalls.utf8))
    #expect(reading.some == 12.5)
    #expect(reading.full == 3.25)
  }

  @Test(arguments: [
    "", "\n\n", "MemTotal: kB", "MemTotal: 1 kB", "MemAvailable: 1 kB",
    "MemTotal: 0 kB\nMemAvailable: 0 kB",
    "MemTotal: -5 kB\nMemAvailable: 1 kB", "MemTotal: 9223372036854775807 kB\nMemAvailable: 1 kB",
    "MemTotal: 99999999999999999999 kB\nMemAvailable: 1 kB", "MemTotal: x kB\nMemAvailable: 1 kB",
    "MemTotal 5 5 kB\nMemAvailable: 1 kB",
  ])
  func whatIsNoTableIsNoReading(text: String) {
    #expect(read(text) == nil)
  }

  @Test func absurdValuesAreClamped() throws {
    #expect(read("MemTotal: 5 kB\nMemAvailable: 9 kB")?.available == 5_120)
    #expect(read("MemTotal: 5 kB\nMemAvailable: -9 kB")?.available == 0)
  }

  @Test(arguments: [
    "", "some", "some avg10=", "some avg10=nan", "some avg10=-1", "some avg10=1e9", "avg10=5 some",
    "some avg60=5 total=7", "some avg10=inf", "some avg10=0x",
  ])
  func whatIsNoStallIsNone(text: String) throws {
    var reading = MemoryReading(total: 10, available: 5)
    reading.read(pressure: Array(text.utf8))
    #expect(reading.some == nil)
    #expect(reading.full == nil)
  }

  @Test func randomBytesNeverTrap() {
    var random = SeededRandom(seed: 41)
    let pieces = [Array(Self.meminfo.utf8), Array(Self.stalls.utf8)]
    for _ in 0..<2_000 {
      var bytes = pieces[Int.random(in: 0...1, using: &random)]
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: .min ... .max, using: &random)
      }
      var reading = MemoryReading(meminfo: bytes) ?? MemoryReading(total: 1, available: 1)
      reading.read(pressure: bytes)
      #expect(reading.available >= 0 && reading.available <= reading.total)
      #expect((reading.some ?? 0) >= 0)
    }
  }

  @Test func aContainersLimitCounts() {
    var reading = MemoryReading(total: 1_000, available: 800)
    reading.restrict(to: 100, used: 90, reclaimable: 20)
    #expect(reading == MemoryReading(total: 100, available: 30))
    // No limit at all, and nonsense.
    for (limit, used): (Int64, Int64) in [(5_000, 1), (0, 1), (-1, 1), (50, -1)] {
      var other = MemoryReading(total: 1_000, available: 800)
      other.restrict(to: limit, used: used, reclaimable: 0)
      #expect(other == MemoryReading(total: 1_000, available: 800))
    }
    var full = MemoryReading(total: 1_000, available: 800)
    full.restrict(to: 100, used: .max, reclaimable: -5)
    #expect(full.available == 0)
  }

  @Test func scarcityHasThreeDegrees() {
    func pressure(_ available: Int64, _ last: AmbientPressure = .normal) -> AmbientPressure {
      MemoryReading(total: 1_000, available: available).pressure(after: last)
    }
    #expect(
      [500, 100, 99, 30, 29, 0].map { pressure($0) }
        == [.normal, .normal, .warning, .warning, .critical, .critical])
    // It does not come and go around a limit.
    #expect(pressure(120, .warning) == .warning)
    #expect(pressure(151, .warning) == .normal)
    #expect(pressure(40, .critical) == .critical)
    #expect(pressure(45, .critical) == .warning)
  }

  @Test func whoWaitsForMemoryHasTooLittle() {
    var reading = MemoryReading(total: 1_000, available: 900, some: 20)
    #expect(reading.pressure(after: .normal) == .warning)
    reading.some = 15
    #expect(reading.pressure(after: .normal) == .normal)
    #expect(reading.pressure(after: .warning) == .warning)
    reading.full = 20
    #expect(reading.pressure(after: .normal) == .critical)
  }

  @Test func theProbeTellsOfChanges() throws {
    let machine = Surroundings()
    let probe = AmbientProbe.memoryPressure(machine.files)
    #expect(probe.ask() == nil)
    try machine.write("proc/meminfo", Self.meminfo)
    let first = try #require(probe.ask() as? MemoryPressure)
    #expect(first.pressure == .normal)
    #expect(first.level == .info)
    #expect(probe.ask(after: first) == nil)
    try machine.write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 10 kB\n")
    let second = try #require(probe.ask(after: first) as? MemoryPressure)
    #expect(second.ambientState == "critical")
    #expect(second.level == .error)
    #expect(second.availableBytes == 10_240)
    try machine.write("sys/fs/cgroup/memory.max", "max\n")
    try machine.write("sys/fs/cgroup/memory.current", "5\n")
    #expect(probe.ask(after: second) == nil)
  }

  @Test func theProbeKnowsContainers() throws {
    let machine = Surroundings()
    try machine.write("proc/meminfo", Self.meminfo)
    try machine.write("sys/fs/cgroup/memory.max", "1000000\n")
    try machine.write("sys/fs/cgroup/memory.current", "990000\n")
    try machine.write("sys/fs/cgroup/memory.stat", "anon 5\ninactive_file 1000\n")
    let event = try #require(
      AmbientProbe.memoryPressure(machine.files).ask() as? MemoryPressure)
    #expect(event.pressure == .critical)
    #expect(event.totalBytes == 1_000_000)
    #expect(event.availableBytes == 11_000)
  }
}
