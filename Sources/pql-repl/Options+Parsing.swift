extension Options {
  /// Reads a command line, without the program's name.
  ///
  /// The first operand may name a command. Options stand anywhere, but once a query has begun a
  /// word such as `-retry` is PQL, and only what is exactly an option is one. After `--` nothing
  /// is.
  package init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var operands: [String] = []
    var onlyOperands = false
    while let argument = rest.popFirst() {
      let isOption =
        !onlyOperands && argument.hasPrefix("-") && argument != "-"
        && (operands.count < 2 || command != .query || Self.isExactlyAnOption(argument))
      if !isOption {
        if operands.isEmpty, command == .query, !onlyOperands, store == nil,
          let name = Command.Name(rawValue: argument), name != .query
        {
          command = name
        } else {
          operands.append(argument)
        }
      } else if argument == "--" {
        onlyOperands = true
      } else {
        try apply(argument, &rest, mayBeWord: command == .query && !operands.isEmpty)
      }
    }
    try assign(operands)
  }

  private static func isExactlyAnOption(_ word: String) -> Bool {
    word.hasPrefix("--") || CommandOption.all.contains { $0.names.contains(word) }
  }

  /// Applies an option, which may take its value from the arguments that follow.
  ///
  /// - Parameter mayBeWord: whether a query could begin here.
  private mutating func apply(
    _ argument: String, _ rest: inout ArraySlice<String>, mayBeWord: Bool
  ) throws(UsageError) {
    var name = argument
    var value: String?
    if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
      name = String(argument[..<equals])
      value = String(argument[argument.index(after: equals)...])
    } else if !argument.hasPrefix("--"), argument.count > 2 {
      // `-n5`
      name = String(argument.prefix(2))
      value = String(argument.dropFirst(2))
    }
    guard let option = CommandOption.all.first(where: { $0.names.contains(name) }) else {
      if mayBeWord, !argument.hasPrefix("--") {
        throw UsageError("there is no option \(argument); a query may begin with it after --")
      }
      throw UsageError("there is no option \(name)" + CommandOption.suggestion(for: name))
    }
    switch option.action {
    case .flag(let set):
      guard value == nil else { throw UsageError("\(name) takes no value") }
      set(&self)
    case .value(_, let set):
      guard let text = value ?? rest.popFirst() else { throw UsageError("\(name) needs a value") }
      try set(&self, text)
    }
  }

  /// Gives the operands their places.
  private mutating func assign(_ all: [String]) throws(UsageError) {
    guard !wantsHelp, !wantsVersion else { return }
    switch command {
    case .import, .demo:
      operands = all
    case .query:
      store = all.first
      operands = Array(all.dropFirst())
    case .verify, .compact:
      store = all.first
      guard all.count <= 1 else { throw UsageError("\(command.rawValue) takes one store") }
    }
    if command == .import {
      guard target != nil else { throw UsageError("import needs --into STORE") }
      guard !operands.isEmpty else { throw UsageError("import needs a file, or - for the input") }
    } else if command != .demo {
      guard store != nil else { throw UsageError("which store?") }
    }
    if !queries.isEmpty || queryFile != nil, !operands.isEmpty {
      throw UsageError("a query as words and one by -c or -f cannot be given together")
    }
  }
}
