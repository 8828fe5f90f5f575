/// An interval of times; empty when the lower bound is above the upper.
struct TimeBounds: Equatable, Sendable {
  var lower: Int64 = .min
  var upper: Int64 = .max

  func intersection(_ range: ClosedRange<Int64>?) -> ClosedRange<Int64>? {
    guard let range else { return nil }
    let (lower, upper) = (max(lower, range.lowerBound), min(upper, range.upperBound))
    return lower <= upper ? lower...upper : nil
  }

  func overlaps(_ range: ClosedRange<Int64>) -> Bool {
    lower <= range.upperBound && range.lowerBound <= upper
  }
}

extension Condition {
  /// The times outside which no record can pass. Only the parts of the top-level conjunction bound them:
  /// a limit below `or` or `not` says nothing about the whole.
  var timeBounds: TimeBounds {
    var bounds = TimeBounds()
    for case .test(.field(.field(.time)), .order(let comparison, .time(let time))) in conjuncts {
      switch comparison {
      case .equal:
        bounds.lower = max(bounds.lower, time)
        bounds.upper = min(bounds.upper, time)
      case .greaterOrEqual: bounds.lower = max(bounds.lower, time)
      case .lessOrEqual: bounds.upper = min(bounds.upper, time)
      // The extreme times leave nothing beyond them.
      case .greater:
        bounds.lower = max(bounds.lower, time.adding(1) ?? .max)
        if time == .max { bounds.upper = .min }
      case .less:
        bounds.upper = min(bounds.upper, time.adding(-1) ?? .min)
        if time == .min { bounds.lower = .max }
      case .contains, .matches: break
      }
    }
    return bounds
  }
}
