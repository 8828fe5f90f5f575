/// Makes programs, from the end of the expression to its start: each part is told where to go on.
struct RegexCompiler {
  /// The program would be larger than it may be.
  struct TooManyStates: Error {}

  private var states: [RegexProgram.State] = [.match]
  private var arcs: [RegexProgram.Arc] = []
  /// States of bytes by their arcs, so that the tails of encodings are shared.
  private var statesByArcs: [[RegexProgram.Arc]: Int] = [:]

  /// The states and arcs of the program for `tree`, and the state that it starts in.
  static func compile(
    _ tree: RegexTree
  ) throws(TooManyStates) -> (states: [RegexProgram.State], arcs: [RegexProgram.Arc], start: Int) {
    var compiler = RegexCompiler()
    let start = try compiler.state(for: tree, then: 0)
    return (compiler.states, compiler.arcs, start)
  }

  private mutating func add(_ state: RegexProgram.State) throws(TooManyStates) -> Int {
    guard states.count < RegexProgram.stateLimit else { throw TooManyStates() }
    states.append(state)
    return states.count - 1
  }

  /// The state in which `tree` begins, if it goes on with `next`.
  private mutating func state(
    for tree: RegexTree, then next: Int
  ) throws(TooManyStates) -> Int {
    switch tree {
    case .scalar(let set): return try state(for: UTF8Sequences.of(set)[...], at: 0, then: next)
    case .assertion(let assertion): return try add(.assertion(assertion, then: next))
    case .sequence(let parts):
      var entry = next
      for part in parts.reversed() { entry = try state(for: part, then: entry) }
      return entry
    case .choice(let parts):
      var entry: Int?
      for part in parts.reversed() {
        let first = try state(for: part, then: next)
        entry = if let other = entry { try add(.fork(first, other)) } else { first }
      }
      return entry ?? next
    case .repetition(let part, let minimum, let maximum):
      return try state(for: part, from: minimum, to: maximum, then: next)
    }
  }

  private mutating func state(
    for part: RegexTree, from minimum: Int, to maximum: Int?, then next: Int
  ) throws(TooManyStates) -> Int {
    var entry = next
    var left = minimum
    if let maximum {
      for _ in minimum..<maximum {
        entry = try add(.fork(try state(for: part, then: entry), next))
      }
    } else {
      let loop = try add(.fork(next, next))
      let body = try state(for: part, then: loop)
      states[loop] = .fork(body, next)
      // Behind the first of at least one, the loop decides about the others.
      entry = minimum == 0 ? loop : body
      left = max(0, minimum - 1)
    }
    for _ in 0..<left { entry = try state(for: part, then: entry) }
    return entry
  }

  /// The state that takes one of the sequences, which agree in their first `depth` bytes.
  private mutating func state(
    for sequences: ArraySlice<[ClosedRange<UInt8>]>, at depth: Int, then next: Int
  ) throws(TooManyStates) -> Int {
    var made: [RegexProgram.Arc] = []
    var rest = sequences
    while let first = rest.first {
      let group = rest.prefix { $0[depth] == first[depth] }
      let isLast = first.count == depth + 1
      let target = isLast ? next : try state(for: group, at: depth + 1, then: next)
      made.append(RegexProgram.Arc(bytes: first[depth], target: target))
      rest = rest.dropFirst(group.count)
    }
    if let known = statesByArcs[made] { return known }
    let state = try add(.bytes(arcs: arcs.count..<arcs.count + made.count))
    arcs += made
    statesByArcs[made] = state
    return state
  }
}
