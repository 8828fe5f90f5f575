package import PQL
package import PeriscopeCore

/// What the command line asks for.
package struct Options: Equatable {
  /// How rows are written.
  package enum Mode: String, CaseIterable {
    case log, table, ndjson, csv
  }

  package enum Color: String, CaseIterable {
    case auto, always, never
  }

  /// The zone of times without an offset, and of times on the screen.
  package enum Zone: Equatable {
    case local
    /// Seconds east of UTC.
    case fixed(Int32)
    /// A zone that the system has a file for.
    case rules(TimeZoneRules)
  }

  /// A value for `$name` in queries.
  package struct Parameter: Equatable {
    package let name: String
    package let text: String
    /// As in `-p name:int=5`; nil to tell it by the text.
    package let type: String?
  }

  package var command = Command.Name.query
  /// The first operand of most commands.
  package var store: String?
  /// The operands after it: query words, or files to import.
  package var operands: [String] = []
  /// `-c`, each one a query of its own.
  package var queries: [String] = []
  package var queryFile: String?
  /// Where an import goes.
  package var target: String?
  /// Where a demonstration keeps its store.
  package var keep: String?
  /// What a compaction leaves of the store.
  package var retention = Retention.unlimited

  /// nil for what suits the output.
  package var mode: Mode?
  /// The most rows that are printed.
  package var rowLimit: Int?
  /// The file that says where the query's pages go on.
  package var cursorFile: String?
  package var color = Color.auto
  package var zone = Zone.local
  package var parameters: [Parameter] = []
  /// Nanoseconds.
  package var timeout: Int64?
  /// Whether queries are followed, or explained, and not answered once.
  package var follows = false
  package var explains = false
  package var isStrict = false
  package var exitsByMatch = false
  package var wantsHelp = false
  package var wantsVersion = false
}
