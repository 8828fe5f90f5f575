import PQL
import Testing

/// Time is bounded by the product of the sizes of expression and text, whatever they are.
@Suite struct RegexStepTests {
  /// Expressions that take exponential or high polynomial time when ways are tried one after another.
  static let hostile = [
    "(a+)+b", "(a*)*b", "(a|a)*b", "(a|a)*$", "(.*)*x", "(a|a)*c", "(a|aa)+$", "(.*){20}b",
    "a{1,100}b", "(a{1,30}){1,30}b", "(x{100}){10}", "x*x*x*x*x*x*x*x*x*x*y", "(x+x+)+y",
    "(((a?)*)*)*b", "(a?){50}a{50}b", "(|a|aa)*b", #"(\b|a)*\Bb"#, "(a|b|ab)*c", "[ab]*a[ab]{12}c",
    "(.|\\s|a)*b$", "(?i)(ſ|s|S)*b",
  ]

  @Test(arguments: hostile, [RegexMatcher.automatonByteLimit, 20_000, 0])
  func stepsAreBounded(_ pattern: String, _ byteLimit: Int) throws {
    let expression = try RegularExpression(pattern)
    for unit in ["a", "x", "ab", "aé", " ", "s"] {
      let text = Array(String(repeating: unit, count: 400 / unit.utf8.count).utf8)
      let matcher = RegexMatcher(expression, automatonByteLimit: byteLimit)
      let found = matcher.matches(text)
      let bound = 8 * expression.stateCount * (text.count + 1)
      #expect(matcher.stepCount <= bound, "\(unit): \(matcher.stepCount) of \(bound)")
      if unit == "a" { #expect(found == (pattern.hasSuffix("$") && !pattern.hasSuffix("b$"))) }
    }
  }

  /// `[ab]*a[ab]{12}c` has thousands of deterministic states: an automaton with little room for them is
  /// dropped again and again, until the simulation takes over.
  @Test func anAutomatonThatDoesNotPayIsGivenUp() throws {
    let expression = try RegularExpression("[ab]*a[ab]{12}c")
    var generator = RegexGenerator(seed: 7)
    let text = (0..<4_000).map { _ in UInt8(ascii: "a") + UInt8(generator.below(2)) }
    let small = RegexMatcher(expression, automatonByteLimit: 20_000)
    #expect(!small.matches(text + [0x64]))
    #expect(small.matches(text + Array("abbbbbbbbbbbbc".utf8)))
    #expect(small.isSimulating)
    let large = RegexMatcher(expression)
    #expect(large.matches(text + Array("abbbbbbbbbbbbc".utf8)))
    #expect(!large.isSimulating)
  }

  /// Once the rows are there, a text costs a step for each byte.
  @Test func aWarmAutomatonTakesOneStepForEachByte() throws {
    let matcher = RegexMatcher(try RegularExpression(#"[a-f]+\d{2,5}z"#))
    let text = Array(String(repeating: "abc123 def45 zz", count: 50).utf8)
    #expect(!matcher.matches(text))
    let before = matcher.stepCount
    #expect(!matcher.matches(text))
    #expect(matcher.stepCount - before == text.count)
  }
}
