/// A property that holds for any bytes.
///
/// A target is one file with one function, and its line in `all`. The package in `Fuzz` feeds it what a
/// coverage-guided search finds; the test suite feeds it the committed inputs, and a few mutations of them.
public struct FuzzTarget: Sendable {
  /// Names the target on the command line, and its folders of inputs.
  public let name: String
  /// Throws when `input` breaks the property. What traps, hangs or takes too much memory breaks it, too.
  public let check: @Sendable (_ input: [UInt8]) throws -> Void
}

extension FuzzTarget {
  /// Every target.
  public static let all: [FuzzTarget] =
    [
      FuzzTarget(name: "canary", check: canary),
      FuzzTarget(name: "json", check: json),
      FuzzTarget(name: "manifest", check: manifest),
      FuzzTarget(name: "recovery", check: recovery),
      FuzzTarget(name: "query", check: query),
      FuzzTarget(name: "query-tree", check: queryTree),
      FuzzTarget(name: "regex", check: regex),
      FuzzTarget(name: "segment", check: segment),
      FuzzTarget(name: "text-search", check: textSearch),
    ] + oracles

  /// Breaks on a word that no input has by chance: shows that the search, and the saving of what it found, work.
  @Sendable private static func canary(_ input: [UInt8]) throws {
    guard input.count >= 4, input[0] == 0x62, input[1] == 0x69, input[2] == 0x72, input[3] == 0x64
    else { return }
    throw FuzzFailure("the canary met its bird")
  }
}

/// How an input broke a property.
public struct FuzzFailure: Error, CustomStringConvertible {
  /// What does not hold.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Fails the target unless `condition` holds.
func require(
  _ condition: Bool, _ description: @autoclosure () -> String
) throws(FuzzFailure) {
  if !condition { throw FuzzFailure(description()) }
}
