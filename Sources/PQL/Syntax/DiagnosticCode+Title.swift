extension DiagnosticCode {
  /// What is wrong, in a few words: the headings of docs/pql/errors.md.
  public var title: String {
    switch self {
    case .invalidUTF8: "the text is not UTF-8"
    case .controlCharacter: "a control character"
    case .unexpectedCharacter: "a character that means nothing here"
    case .unterminatedString: "a quoted text is never closed"
    case .unknownEscape: "an escape that quoted texts do not have"
    case .touchingQuote: "a quote touches a word"
    case .commentInsideWord: "`#` inside a word"
    case .foreignOperator: "an operator of another language"
    case .namelessParameter: "`$` without a name"
    case .valueOutOfRange: "a value that cannot be represented"
    case .notAWord: "punctuation that is not a word"
    case .mixedAndOr: "`and` and `or` are mixed"
    case .expectedCondition: "a condition is missing"
    case .expectedValue: "a value is missing"
    case .expectedExpression: "an expression is missing"
    case .expectedToken: "a sign is missing"
    case .reservedWord: "a reserved word"
    case .unknownStage: "a stage that does not exist"
    case .expectedArgument: "a stage's argument is missing"
    case .chainedComparison: "comparisons are chained"
    case .notAField: "something other than a field"
    case .unexpectedToken: "text after the end"
    case .wrongCase: "a word of the language in capitals"
    case .columnName: "a column's name is missing or cannot be one"
    case .fieldAlone: "a field alone"
    case .notAFunction: "a name that is no function's before `(`"
    case .unknownField: "a field or column that does not exist"
    case .unknownFunction: "a function that does not exist"
    case .wrongType: "types that do not fit"
    case .missingUnit: "a duration without a unit"
    case .unknownLevel: "a level that does not exist"
    case .wrongArguments: "a call's arguments do not fit"
    case .misplacedAggregate: "an aggregate in the wrong place"
    case .unboundParameter: "a parameter without a value"
    case .duplicateColumn: "two columns of one name"
    case .needsRecords: "records are needed"
    case .notACondition: "neither true nor false"
    case .malformedIdentity: "not an identity"
    case .noSuchSession: "a session that does not exist"
    case .wrongCursor: "a query without pages, or another one's cursor"
    case .notFollowed: "a query that cannot be followed"
    case .malformedRegex: "a malformed regular expression"
    case .unsupportedRegex: "a regular expression that cannot be run"
    case .textTooLong: "the query is too long"
    case .nestedTooDeep: "nested too deeply"
    case .tooManyTokens: "too many words and signs"
    case .tooManyStages: "too many stages"
    case .tooManyValues: "too many values after `in`"
    case .tooManyKeys: "too many keys"
    case .regexTooLarge: "a regular expression is too large"
    case .tooManyRegexes: "too many regular expressions"
    case .outOfTime: "out of time"
    case .outOfMemory: "out of memory"
    case .cancelled: "cancelled"
    }
  }

  /// Whether it is about how a query was to be run, and not about its text.
  public var isOfRun: Bool {
    switch self {
    case .outOfTime, .outOfMemory, .cancelled, .wrongCursor, .notFollowed: true
    default: false
    }
  }
}
