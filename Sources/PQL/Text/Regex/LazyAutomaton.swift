/// The deterministic automaton of a program, made as texts ask for it and kept within a limit.
///
/// A row stands for a set of states of the program. Once the rows that a text needs are there, a byte costs
/// two loads. When the limit is reached all rows are dropped; an automaton whose rows are dropped again and
/// again before they have paid for themselves is exhausted.
struct LazyAutomaton {
  /// What a row is made from.
  private struct Key: Hashable {
    var states: [UInt64]
    var previous: RegexThreads.Neighbor
  }

  private static let unknown: Int32 = -1
  /// No match can follow.
  private static let dead: Int32 = -2
  private static let match: Int32 = -3

  /// A row costs about as much to make as so many bytes cost the simulation.
  private static let worthwhileByteCount = 10
  private static let uselessResetLimit = 3

  private let program: RegexProgram
  /// Takes the steps that have no row.
  private var threads: RegexThreads
  private let rowLimit: Int
  private let columnCount: Int
  /// The next row by row and class of byte, or by row and end of text: the offset of its first column, or
  /// one of the three above.
  private var transitions: [Int32] = []
  private var keys: [Key] = []
  private var rowsByKey: [Key: Int32] = [:]
  private var startRow: Int32?
  /// Bytes of all texts so far, and those at the last reset.
  private var byteCount = 0
  private var byteCountAtReset = 0
  private var uselessResetCount = 0

  /// An automaton that needs about `byteLimit` bytes at most.
  init(_ program: RegexProgram, byteLimit: Int) {
    self.program = program
    threads = RegexThreads(program)
    columnCount = program.byteOfClass.count + 1
    let keyByteCount = (program.states.count + 63) / 64 * 8
    rowLimit = byteLimit / (columnCount * 4 + keyByteCount + 96)
  }

  /// Whether making rows is a waste of time.
  var isExhausted: Bool { uselessResetCount >= Self.uselessResetLimit || rowLimit < 2 }

  /// Rows and states that have been looked at.
  var stepCount: Int { byteCount + threads.stepCount }

  /// Whether there is a match in `text`.
  mutating func matches(_ text: Span<UInt8>) -> Bool {
    matchesByRows(text) ?? threads.matches(text)
  }

  /// Whether there is a match in `text`; nil if the automaton is or becomes exhausted.
  private mutating func matchesByRows(_ text: Span<UInt8>) -> Bool? {
    guard !isExhausted, var row = start() else { return nil }
    // A row of an empty text may already match.
    guard row >= 0 else { return row == Self.match }
    var position = 0
    defer { byteCount += position }
    while true {
      run(text, &position, &row)
      guard position < text.count else { break }
      let column = Int(program.classOfByte[Int(text[position])])
      var next = transitions[Int(row) + column]
      if next == Self.unknown { next = fill(row, column, at: position) }
      if next == Self.match { return true }
      if next == Self.dead { return false }
      if isExhausted { return nil }
      row = next
      position += 1
    }
    var next = transitions[Int(row) + columnCount - 1]
    if next == Self.unknown { next = fill(row, columnCount - 1, at: position) }
    return next == Self.match
  }

  /// Goes on through rows as long as they are there and lead to others.
  private func run(_ text: Span<UInt8>, _ position: inout Int, _ row: inout Int32) {
    let (transitions, classes) = (self.transitions.span, program.classOfByte.span)
    var (at, current) = (position, row)
    while at < text.count {
      let next = transitions[Int(current) + Int(classes[Int(text[at])])]
      // Most bytes of most texts lead a row to itself. Asking lets the processor foresee that instead of
      // waiting for one load after another.
      if next != current {
        guard next >= 0 else { break }
        current = next
      }
      at += 1
    }
    (position, row) = (at, current)
  }

  private mutating func start() -> Int32? {
    if let startRow { return startRow }
    threads.restart()
    startRow = rowOfThreads(at: 0)
    return startRow
  }

  /// Finds out where a column of a row leads.
  private mutating func fill(_ row: Int32, _ column: Int, at position: Int) -> Int32 {
    let key = keys[Int(row) / columnCount]
    threads.resume(StateBits(words: key.states), after: key.previous)
    if column == columnCount - 1 {
      threads.finish()
      let next = threads.isMatch ? Self.match : Self.dead
      transitions[Int(row) + column] = next
      return next
    }
    threads.advance(over: program.byteOfClass[column])
    let resets = byteCountAtReset
    let next = rowOfThreads(at: position)
    // After a reset the row is gone.
    if resets == byteCountAtReset { transitions[Int(row) + column] = next }
    return next
  }

  /// The row for where the threads are.
  private mutating func rowOfThreads(at position: Int) -> Int32 {
    if threads.isMatch { return Self.match }
    if threads.isDead { return Self.dead }
    let key = keyOfThreads()
    if let row = rowsByKey[key] { return row }
    if keys.count >= rowLimit { reset(at: position) }
    let row = Int32(transitions.count)
    transitions.append(contentsOf: repeatElement(Self.unknown, count: columnCount))
    keys.append(key)
    rowsByKey[key] = row
    return row
  }

  private func keyOfThreads() -> Key {
    var states = [UInt64](repeating: 0, count: (program.states.count + 63) / 64)
    for index in 0..<threads.states.count {
      let state = threads.states[index]
      states[state / 64] |= 1 << UInt64(state % 64)
    }
    var previous = threads.previous
    if !threads.awaitsNext || previous == .continuation { previous = .other }
    return Key(states: states, previous: previous)
  }

  private mutating func reset(at position: Int) {
    let read = byteCount + position - byteCountAtReset
    if read < keys.count * Self.worthwhileByteCount { uselessResetCount += 1 }
    byteCountAtReset = byteCount + position
    startRow = nil
    transitions.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    rowsByKey.removeAll(keepingCapacity: true)
  }
}

/// The numbers of the bits that are set, in ascending order.
private struct StateBits: Sequence, IteratorProtocol {
  private let words: [UInt64]
  private var index = 0
  private var word: UInt64

  init(words: [UInt64]) {
    self.words = words
    word = words[0]
  }

  mutating func next() -> Int? {
    while word == 0 {
      index += 1
      guard index < words.count else { return nil }
      word = words[index]
    }
    defer { word &= word - 1 }
    return index * 64 + word.trailingZeroBitCount
  }
}
