/// One thing that is wrong with a query: what, where, and what to write instead.
///
/// Ranges are byte ranges of the query's UTF-8 text and begin and end between scalars.
public struct Diagnostic: Error, Sendable, Hashable {
  /// A change to the query's text.
  public struct Edit: Sendable, Hashable {
    /// The bytes to replace.
    public var range: Range<Int>
    /// What to put there.
    public var replacement: String
  }

  /// Advice. With edits, a tool can apply it.
  public struct Help: Sendable, Hashable {
    /// What to do, as a person reads it.
    public var text: String
    /// The same as changes to the text; empty when the advice leaves a choice.
    public var edits: [Edit] = []
  }

  /// A second place worth pointing at.
  public struct Label: Sendable, Hashable {
    /// The bytes meant.
    public var range: Range<Int>
    /// What they have to do with it.
    public var text: String
  }

  /// The kind of problem. Stable: codes are never reused.
  public var code: DiagnosticCode
  /// The problem in one line that makes sense alone.
  public var message: String
  /// The bytes that are wrong; empty at the place where something is missing.
  public var range: Range<Int>
  /// A few words for the place, or none.
  public var label: String = ""
  /// Other places that explain it.
  public var labels: [Label] = []
  /// What could stand there, when that is a short list.
  public var expected: [String] = []
  /// What to do, the likeliest first.
  public var helps: [Help] = []
  /// What else is worth knowing.
  public var notes: [String] = []

  /// Whether it only follows from another problem, which is reported instead.
  var isConsequence = false

  /// A problem at `range`.
  public init(_ code: DiagnosticCode, _ message: String, at range: Range<Int>) {
    self.code = code
    self.message = message
    self.range = range
  }

  /// What stands for a problem that was reported where it arose.
  static func consequence(at range: Range<Int>) -> Diagnostic {
    var diagnostic = Diagnostic(.unknownField, "this depends on something that is wrong", at: range)
    diagnostic.isConsequence = true
    return diagnostic
  }

  /// The same, saying a few words at the place itself.
  func labelled(_ text: String) -> Diagnostic {
    var copy = self
    copy.label = text
    return copy
  }

  /// The same with one more piece of advice.
  func helping(_ text: String, edits: [Edit] = []) -> Diagnostic {
    var copy = self
    copy.helps.append(Help(text: text, edits: edits))
    return copy
  }

  /// The same with advice to replace the primary range.
  func fixing(with replacement: String, _ text: String? = nil) -> Diagnostic {
    helping(
      text ?? "write \(replacement)", edits: [Edit(range: range, replacement: replacement)])
  }

  /// The same with one more remark.
  func noting(_ text: String) -> Diagnostic {
    var copy = self
    copy.notes.append(text)
    return copy
  }

  /// The same with the names in `candidates` that look like `name`, best first.
  func suggesting(_ name: String, from candidates: some Sequence<String>) -> Diagnostic {
    var copy = self
    for candidate in nearestNames(to: name, in: candidates) {
      copy = copy.fixing(with: candidate, "did you mean `\(candidate)`?")
    }
    return copy
  }
}

/// Why a query was refused: at least one diagnostic, in the order of the text.
public struct Diagnostics: Error, Sendable, Hashable {
  /// No more than this many are kept; later ones are usually consequences of the first.
  public static let limit = 5

  /// The problems, in the order they were found.
  public let all: [Diagnostic]

  /// The first `limit` of `diagnostics`; there must be one. What one of them notes the next need not.
  package init(_ diagnostics: [Diagnostic]) {
    precondition(!diagnostics.isEmpty, "a refusal needs a reason")
    var noted: Set<String> = []
    all = diagnostics.prefix(Diagnostics.limit).map { diagnostic in
      var diagnostic = diagnostic
      diagnostic.notes.removeAll { !noted.insert($0).inserted }
      return diagnostic
    }
  }

  /// The problems as a terminal shows them, each with its line of `query` and a caret under it.
  public func rendered(query: String) -> String {
    let renderer = DiagnosticRenderer(query: Array(query.utf8))
    return all.map(renderer.render).joined(separator: "\n")
  }
}

extension Diagnostics: CustomStringConvertible {
  /// One line for each problem, without the query's text.
  public var description: String {
    all.map { "error[\($0.code.rawValue)]: \($0.message)" }.joined(separator: "\n")
  }
}
