import Foundation
import FuzzTargets
import Testing

/// Statements about answers that hold for any store and any query.
///
/// `PERISCOPE_TEST_SCALE=100` in the environment checks a hundred times as many, and `PERISCOPE_TEST_SEED` is the
/// seed of the first.
@Suite struct OracleTests {
  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
  }

  @Test(arguments: Oracle.allCases)
  func holds(_ oracle: Oracle) {
    let first = Self.number("PERISCOPE_TEST_SEED") ?? 1
    let count = 5 * (Self.number("PERISCOPE_TEST_SCALE") ?? 1)
    for seed in first..<first + count {
      do {
        try oracle.check(Choices(seed: seed))
      } catch {
        Issue.record("\(oracle), seed \(seed): \(error)")
        return
      }
    }
  }
}
