import SegmentIndex
import Testing

@Suite struct RetentionTests {
  static let day: Int64 = 86_400_000_000_000
  static let now = 1_000 * day

  /// A segment of a mebibyte and a hundred records that ends on this day.
  func entry(_ day: Int64) -> Manifest.Entry {
    Manifest.Entry(
      id: UniqueID(bits: UInt128(UInt64(bitPattern: day))), length: 1 << 20, checksum: 0,
      rowCount: 100, timeRange: (day - 1) * Self.day...day * Self.day)
  }

  func expired(
    _ days: [Int64], _ retention: Retention, now: Int64 = RetentionTests.now
  ) -> [Int64] {
    retention.expired(days.map(entry), now: now).map { Int64(truncatingIfNeeded: $0.bits) }.sorted()
  }

  @Test func withoutLimitsNothingGoes() {
    #expect(expired(Array(1...100), .unlimited) == [])
    #expect(expired([], Retention(maximumAge: .zero, maximumByteCount: 0)) == [])
  }

  @Test func theOldestGoBeyondACount() {
    #expect(expired([996, 997, 998, 999], Retention(maximumByteCount: 2 << 20)) == [996, 997])
    #expect(expired([999, 998, 996, 997], Retention(maximumRecordCount: 399)) == [996])
    #expect(expired([998, 999], Retention(maximumRecordCount: 0)) == [998])
  }

  @Test func whatIsTooOldGoes() {
    var retention = Retention(maximumAge: .seconds(86_400 * 3))
    retention.protectedByteCount = 0
    #expect(expired([995, 996, 997, 998, 999], retention) == [995, 996])
    #expect(expired([1, 2], retention) == [1])
  }

  /// All is long past, says a clock that is twenty years ahead.
  @Test func aClockThatJumpsAheadDoesNotTakeTheNewest() {
    let retention = Retention(maximumAge: .seconds(86_400 * 30))
    let days = Array<Int64>(900...999)
    #expect(expired(days, retention, now: 8_300 * Self.day) == Array(900...983))
    #expect(expired(Array(990...999), retention, now: 8_300 * Self.day) == [])
    #expect(expired(days, retention, now: .max) == Array(900...983))
  }

  @Test func aClockThatJumpsBackTakesNothing() {
    let retention = Retention(maximumAge: .seconds(86_400))
    #expect(expired(Array(900...999), retention, now: 3 * Self.day) == [])
    #expect(expired(Array(900...999), retention, now: .min) == [])
  }

  /// What claims to be of the future is as old as what joined the store behind it.
  @Test func timesOfTheFutureGoWithTheirNeighbours() {
    var retention = Retention(maximumAge: .seconds(86_400 * 3))
    retention.protectedByteCount = 0
    #expect(expired([990, 5_000, 991, 998, 999], retention) == [990, 991, 5_000])
    #expect(
      expired([5_000, 5_001, 998, 999], Retention(maximumRecordCount: 200)) == [5_000, 5_001])
    #expect(expired([5_000, 5_001], Retention(maximumRecordCount: 100)) == [5_000])
  }

  @Test func absurdLimitsAndSizesAreNoTrouble() {
    #expect(expired([1, 2], Retention(maximumAge: .seconds(Int64.max))) == [])
    #expect(expired([1, 2], Retention(maximumAge: .seconds(-5)), now: .min) == [])
    let huge = (1...3).map {
      Manifest.Entry(
        id: UniqueID(bits: $0), length: .max, checksum: 0, rowCount: .max, timeRange: 0...0)
    }
    #expect(!Retention(maximumByteCount: 5).expired(huge, now: 0).isEmpty)
  }
}
