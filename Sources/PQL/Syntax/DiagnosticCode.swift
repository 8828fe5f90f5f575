/// The kinds of problem a query can have.
///
/// P0xx are about characters and words, P1xx about grammar, B2xx about names and types, R3xx about regular
/// expressions, and L4xx about limits. docs/pql/errors.md explains each. A number is never reused for something else.
public enum DiagnosticCode: String, Sendable, Hashable, CaseIterable {
  /// The text is not UTF-8.
  case invalidUTF8 = "P001"
  /// A control character other than tab, carriage return and line feed.
  case controlCharacter = "P002"
  /// A character that means nothing here.
  case unexpectedCharacter = "P003"
  /// A string is never closed.
  case unterminatedString = "P004"
  /// A `\` sequence that strings do not have.
  case unknownEscape = "P005"
  /// A quote that touches a word.
  case touchingQuote = "P006"
  /// `#` inside a word.
  case commentInsideWord = "P007"
  /// An operator of another language.
  case foreignOperator = "P008"
  /// `$` without a name.
  case namelessParameter = "P009"
  /// A number, duration, size or date that cannot be represented.
  case valueOutOfRange = "P010"
  /// A run of punctuation that is not a word.
  case notAWord = "P011"

  /// `and` and `or` side by side without parentheses.
  case mixedAndOr = "P101"
  /// Something else stands where a filter's condition must.
  case expectedCondition = "P102"
  /// Something else stands where a value must.
  case expectedValue = "P103"
  /// Something else stands where an expression must.
  case expectedExpression = "P104"
  /// A bracket, a parenthesis or a comma is missing.
  case expectedToken = "P105"
  /// A reserved word where it has no meaning.
  case reservedWord = "P106"
  /// A stage that does not exist.
  case unknownStage = "P107"
  /// A stage's number or duration is missing or malformed.
  case expectedArgument = "P108"
  /// `a < b < c`.
  case chainedComparison = "P109"
  /// Something other than a field where a field must stand.
  case notAField = "P110"
  /// Text after the end of a complete stage.
  case unexpectedToken = "P111"
  /// `AND`, `OR` or `NOT` in capitals.
  case wrongCase = "P112"
  /// A column needs a name, or cannot have this one.
  case columnName = "P113"
  /// A field alone, which is not a condition.
  case fieldAlone = "P114"
  /// A name that is not a function's before `(`.
  case notAFunction = "P115"

  /// A field or column that does not exist.
  case unknownField = "B201"
  /// A function that does not exist.
  case unknownFunction = "B202"
  /// Types that cannot be compared or combined.
  case wrongType = "B203"
  /// A duration compared with a bare number.
  case missingUnit = "B204"
  /// A level name that does not exist.
  case unknownLevel = "B205"
  /// A call with the wrong number or kind of arguments.
  case wrongArguments = "B206"
  /// An aggregate where single rows are computed, or the reverse.
  case misplacedAggregate = "B207"
  /// A parameter that the caller did not bind, or bound to a value that does not fit.
  case unboundParameter = "B208"
  /// Two columns of one name, or a built-in field overwritten.
  case duplicateColumn = "B209"
  /// A stage that needs records after one that makes rows.
  case needsRecords = "B210"
  /// Something that is not true or false where a condition must stand.
  case notACondition = "B211"
  // B212 was for parts of the language that an earlier version could not run.
  /// A value that is not an identity or a prefix of one.
  case malformedIdentity = "B213"
  /// `session = current` or `previous` without such a session.
  case noSuchSession = "B214"

  /// A cursor that does not fit the query, or a query that has no pages.
  case wrongCursor = "B215"
  /// A query that cannot be followed.
  case notFollowed = "B216"

  /// A regular expression that is malformed.
  case malformedRegex = "R301"
  /// A regular expression that asks for what no automaton can do, or the language does not offer.
  case unsupportedRegex = "R302"

  /// The text is too long.
  case textTooLong = "L401"
  /// Parentheses, calls or negations are nested too deeply.
  case nestedTooDeep = "L402"
  /// The text has too many words and signs.
  case tooManyTokens = "L403"
  /// Too many stages.
  case tooManyStages = "L404"
  /// Too many values after `in`.
  case tooManyValues = "L405"
  /// Too many group keys.
  case tooManyKeys = "L406"
  /// A regular expression is too long, or too large once its repetitions are written out.
  case regexTooLarge = "L407"
  /// Too many regular expressions.
  case tooManyRegexes = "L408"
  /// A run took longer than it may.
  case outOfTime = "L409"
  /// A run needs more memory than it may have.
  case outOfMemory = "L410"
  /// Somebody cancelled the run.
  case cancelled = "L411"
}
