import PQL
import Testing

@Suite struct RegexErrorTests {
  @Test(arguments: [
    ("a)", 1..<2, "this `)` closes nothing; write \\) for a parenthesis"),
    ("x(a", 1..<2, "this `(` is never closed; write \\( for a parenthesis"),
    ("é[a", 2..<3, "this `[` is never closed; write \\[ for a bracket"),
    ("a[]b", 1..<3, "a class has at least one scalar; write \\] for a bracket"),
    ("*a", 0..<1, "`*` has nothing to repeat"), ("a|+", 2..<3, "`+` has nothing to repeat"),
    ("(?i)*", 4..<5, "`*` has nothing to repeat"),
    ("^*", 0..<2, "`^`, `$` and \\b cannot be repeated"),
    ("a**", 2..<3, "what is repeated already needs parentheses to be repeated again"),
    ("a{2}{3}", 4..<5, "what is repeated already needs parentheses to be repeated again"),
    ("{a}", 0..<1, "a `{` repeats what is before it; write \\{ for a brace"),
    ("a{,3}", 1..<5, "a `{` begins a repetition such as {3}, {2,} or {2,5}; write \\{ for a brace"),
    ("a{x}", 1..<2, "a `{` begins a repetition such as {3}, {2,} or {2,5}; write \\{ for a brace"),
    ("a{3,2}", 1..<6, "3 is more than 2"), ("[z-a]", 1..<4, "`z` comes after `a`"),
    ("[a-\\d]", 1..<5, "a range ends with a scalar"),
    ("[\\d-z]", 1..<4, "a range begins with a scalar; write \\- for a minus"),
    ("[\\b]", 1..<3, "\\b is no scalar"),
    ("a\\", 1..<2, "a `\\` at the end escapes nothing; write \\\\ for a backslash"),
    ("\\y", 0..<2, "\\y is no escape"), ("\\é", 0..<3, "\\é is no escape"),
    ("\\x4", 0..<3, "a scalar is written \\x41, \\u0041 or \\x{1F600}, in hexadecimal digits"),
    ("\\x{}", 0..<3, "a scalar is written \\x41, \\u0041 or \\x{1F600}, in hexadecimal digits"),
    ("\\uD800", 0..<6, "there is no scalar of this number"),
    ("\\x{110000}", 0..<10, "there is no scalar of this number"),
    ("(?i", 0..<3, "this group is never closed"),
  ])
  func syntax(_ pattern: String, _ range: Range<Int>, _ reason: String) {
    expectError(pattern, RegexError(kind: .syntax, range: range, reason: reason))
  }

  @Test(arguments: [
    ("(a)\\1", 3..<5, "back-references are not supported"),
    ("\\k<a>", 0..<2, "back-references are not supported"),
    ("x(?=a)", 1..<4, "look-ahead is not supported"),
    ("x(?!a)", 1..<4, "look-ahead is not supported"),
    ("(?<=a)", 0..<4, "look-behind is not supported"),
    ("(?<!a)", 0..<4, "look-behind is not supported"),
    ("(?>a)", 0..<3, "atomic groups are not supported"),
    ("a*+", 1..<3, "possessive repetition is not supported"),
    ("(?<n>a)", 0..<3, "groups have no names here; write (...)"),
    ("(?P<n>a)", 0..<3, "groups have no names here; write (...)"),
    ("(?#x)", 0..<3, "comments are not supported"),
    ("(?(1)a)", 0..<3, "conditions are not supported"),
    ("(?R)", 0..<3, "recursion is not supported"),
    ("(?m)^", 2..<3, "^ and $ always stand for the whole text"),
    ("(?x)", 2..<3, "`x` is no flag; there are i and s"),
    ("(?i--s)", 4..<5, "`-` is no flag; there are i and s"),
    ("\\p{L}", 0..<2, "Unicode properties are not supported"),
    ("\\A", 0..<2, "write ^ for the start of the text"),
    ("a\\z", 1..<3, "write $ for the end of the text"),
    ("[[:alpha:]]", 1..<3, "POSIX classes are not supported"),
    ("\\Qa", 0..<2, "quoting with \\Q is not supported"), ("\\R", 0..<2, "\\R is not supported"),
  ])
  func unsupported(_ pattern: String, _ range: Range<Int>, _ reason: String) {
    expectError(pattern, RegexError(kind: .unsupported, range: range, reason: reason))
  }

  @Test(arguments: [
    (
      String(repeating: "a", count: 1_025), 1_024..<1_025,
      "a regular expression has at most 1024 bytes, and this one has 1025"
    ),
    ("a{256}", 2..<5, "a part is repeated at most 255 times"),
    ("a{1,99999999999999999999}", 4..<24, "a part is repeated at most 255 times"),
    ("(a{100}){11}", 8..<12, "nested repetitions multiply to 1100; the limit is 1000"),
    ("((x{100}){100}){100}", 9..<14, "nested repetitions multiply to 10000; the limit is 1000"),
    (
      String(repeating: "(", count: 65) + String(repeating: ")", count: 65), 65..<66,
      "groups are nested at most 64 deep"
    ),
    (
      String(repeating: "[\\x{10000}-\\x{10ffff}]{250}", count: 5), 0..<135,
      "the expression needs more than 4096 states; repeat less often"
    ),
  ])
  func limits(_ pattern: String, _ range: Range<Int>, _ reason: String) {
    expectError(pattern, RegexError(kind: .limit, range: range, reason: reason))
  }

  @Test func whatIsJustWithinTheLimitsCompiles() throws {
    let nested = String(repeating: "(", count: 64) + String(repeating: ")", count: 64)
    for pattern in [String(repeating: "a", count: 1_024), "a{255}", "(a{100}){10}", nested] {
      #expect(try RegularExpression(pattern).stateCount <= 4_096)
    }
  }

  private func expectError(_ pattern: String, _ expected: RegexError) {
    var error: RegexError?
    do throws(RegexError) { _ = try RegularExpression(pattern) } catch let thrown { error = thrown }
    #expect(error == expected)
    #expect(error?.offset == expected.range.lowerBound)
  }
}
