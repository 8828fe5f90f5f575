internal import SegmentIndex

/// What a condition asks of the dictionaries of every segment, made ready once for all of them: whether a segment can
/// hold anything costs a look-up in each, and no plan.
struct SegmentProbe: Sendable {
  /// A field that must be one of some terms.
  private struct Test: Sendable {
    let field: SegmentField
    /// The bytes of the terms.
    let terms: [[UInt8]]
  }

  private let bounds: TimeBounds
  private let tests: [Test]
  /// What the message must contain.
  private let searches: [TextSearch]

  init(_ condition: Condition) {
    bounds = condition.timeBounds
    tests = condition.conjuncts.compactMap { part in
      guard case .test(.field(let field), let predicate) = part,
        let column = field.columnOfTerms, let terms = predicate.exactTerms, terms.count <= 16
      else { return nil }
      return Test(field: column, terms: terms.map { $0.encoded() })
    }
    searches = condition.conjuncts.compactMap { part in
      guard case .test(.field(.field(.message)), .contains(let search)) = part else { return nil }
      return search
    }
  }

  /// Whether no record of the segment can satisfy the condition. Of what cannot be read nothing is known.
  func excludes(_ segment: Segment) -> Bool {
    guard let times = segment.timeRange, bounds.overlaps(times) else { return true }
    do throws(SegmentError) {
      for test in tests {
        switch try segment.column(test.field) {
        case nil: return true
        case .terms(let column):
          var isThere = false
          for term in test.terms where !isThere {
            isThere = try column.index(ofEncoded: term) != nil
          }
          if !isThere { return true }
        case .integers, .numbers, .texts, .identities: break
        }
      }
      guard !searches.isEmpty, case .texts(let column)? = try segment.column(.message)
      else { return false }
      for search in searches where try search.isRuledOut(in: column) { return true }
    } catch {
      return false
    }
    return false
  }
}

extension FieldReference {
  /// The column whose terms are the field's values; nil when there is none, or they are lists or of the session.
  var columnOfTerms: SegmentField? {
    switch self {
    case .tag(let key): .tag(key)
    case .field(.level): .level
    case .field(.event): .event
    case .field(.version): .version
    case .field(.session), .field(.sessionID): .session
    case .field(.span): .span
    case .field(.exit): .exit
    case .field(.reason): .exitReason
    case .field(.function): .function
    case .field(.file): .file
    case .field(.extid): .externalID
    default: nil
    }
  }
}
