/// All the states that a program can be in at one place of a text.
///
/// Assertions that depend on what comes next wait among the states until it is known.
struct RegexThreads {
  /// What stands on one side of a place.
  enum Neighbor: UInt8 {
    /// The start or the end of the text.
    case nothing
    case word
    case other
    /// A byte that only goes on with a scalar, if the text is UTF-8.
    case continuation

    init(_ byte: UInt8) {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: self = .word
      case 0x80...0xbf: self = .continuation
      default: self = .other
      }
    }
  }

  private let program: RegexProgram
  /// States that take bytes and assertions that wait.
  private(set) var states: StateSet
  private var nextStates: StateSet
  /// States that were looked at in one step, so that loops end.
  private var seen: StateSet
  private var stack: [Int] = []
  /// What is before the place.
  private(set) var previous = Neighbor.nothing
  /// Whether a match has ended.
  private(set) var isMatch = false
  /// Whether an assertion waits. If none does, what is before the place no longer counts.
  private(set) var awaitsNext = false
  /// How many states have been looked at.
  private(set) var stepCount = 0

  /// The threads at the start of a text.
  init(_ program: RegexProgram) {
    self.program = program
    let count = program.states.count
    states = StateSet(capacity: count)
    nextStates = StateSet(capacity: count)
    seen = StateSet(capacity: count)
    stack.reserveCapacity(count)
    restart()
  }

  /// Whether no byte can lead to a match any more.
  var isDead: Bool { states.isEmpty }

  /// Goes back to the start of a text.
  mutating func restart() {
    states.removeAll()
    beginStep(after: .nothing)
    enter(program.start)
  }

  /// Goes to a place whose states were saved.
  mutating func resume(_ saved: some Sequence<Int>, after previous: Neighbor) {
    states.removeAll()
    beginStep(after: previous)
    for state in saved { enter(state) }
  }

  /// Takes a byte. The match is over, if there is one, when `isMatch` is true.
  mutating func advance(over byte: UInt8) {
    resolve(before: Neighbor(byte))
    if isMatch { return }
    swap(&states, &nextStates)
    states.removeAll()
    beginStep(after: Neighbor(byte))
    for index in 0..<nextStates.count {
      stepCount += 1
      guard case .bytes(let arcs) = program.states[nextStates[index]] else { continue }
      for arc in arcs where program.arcs[arc].bytes.contains(byte) {
        enter(program.arcs[arc].target)
      }
    }
    // A match can begin anywhere.
    enter(program.start)
  }

  /// Takes the end of the text.
  mutating func finish() {
    resolve(before: .nothing)
  }

  private mutating func beginStep(after previous: Neighbor) {
    seen.removeAll()
    self.previous = previous
    isMatch = false
    awaitsNext = false
  }

  /// Lets the assertions go on that hold before `next`.
  private mutating func resolve(before next: Neighbor) {
    guard awaitsNext else { return }
    // What they lead to is put behind them, so that the loop comes to it.
    seen.removeAll()
    var index = 0
    while index < states.count, !isMatch {
      if case .assertion(let assertion, let target) = program.states[states[index]],
        holds(assertion, before: next)
      {
        enter(target)
      }
      index += 1
    }
  }

  private func holds(_ assertion: RegexTree.Assertion, before next: Neighbor) -> Bool {
    switch assertion {
    case .start: previous == .nothing
    case .end: next == .nothing
    case .wordBoundary: (previous == .word) != (next == .word)
    case .noWordBoundary: (previous == .word) == (next == .word) && next != .continuation
    }
  }

  /// Adds a state and all that is reached from it without a byte.
  private mutating func enter(_ state: Int) {
    stack.append(state)
    while let state = stack.popLast() {
      stepCount += 1
      guard seen.insert(state) else { continue }
      switch program.states[state] {
      case .bytes: states.insert(state)
      case .fork(let first, let second):
        stack.append(second)
        stack.append(first)
      case .assertion(.start, let target):
        if previous == .nothing { stack.append(target) }
      case .assertion:
        states.insert(state)
        awaitsNext = true
      case .match:
        isMatch = true
        stack.removeAll(keepingCapacity: true)
      }
    }
  }
}
