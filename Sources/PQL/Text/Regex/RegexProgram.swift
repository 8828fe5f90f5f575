/// A regular expression as a nondeterministic automaton over the bytes of UTF-8 (Thompson's construction).
///
/// Scalars are compiled to the byte sequences that encode them, so that running never decodes. A byte that
/// is not part of valid UTF-8 is in no sequence: it matches nothing, not even `.` or an inverted class.
struct RegexProgram: Sendable {
  /// One state. Numbers are indices of `states` or, for arcs, of `arcs`.
  enum State: Sendable {
    /// One byte, by one of the arcs.
    case bytes(arcs: Range<Int>)
    /// Both ways, without a byte.
    case fork(Int, Int)
    /// On, without a byte, where the assertion holds.
    case assertion(RegexTree.Assertion, then: Int)
    /// The expression matches.
    case match
  }

  /// What a state does with some bytes.
  struct Arc: Sendable, Hashable {
    let bytes: ClosedRange<UInt8>
    let target: Int
  }

  /// Programs have at most so many states.
  static let stateLimit = 4_096

  fileprivate(set) var states: [State]
  fileprivate(set) var arcs: [Arc] = []
  fileprivate(set) var start = 0
  /// For each byte the number of its class. The program treats all bytes of a class alike.
  private(set) var classOfByte = [UInt8](repeating: 0, count: 256)
  /// One byte of each class.
  private(set) var byteOfClass: [UInt8] = []

  /// The program for a tree.
  init(_ tree: RegexTree, patternByteCount: Int) throws(RegexError) {
    var compiler = RegexCompiler()
    do throws(RegexCompiler.TooManyStates) {
      self = try compiler.compile(tree)
    } catch {
      throw RegexError(
        kind: .limit, range: 0..<patternByteCount,
        reason: "the expression needs more than \(Self.stateLimit) states; repeat less often")
    }
  }

  fileprivate init(states: [State], arcs: [Arc], start: Int) {
    self.states = states
    self.arcs = arcs
    self.start = start
    groupBytes()
  }

  private mutating func groupBytes() {
    var beginsClass = [Bool](repeating: false, count: 257)
    for arc in arcs {
      beginsClass[Int(arc.bytes.lowerBound)] = true
      beginsClass[Int(arc.bytes.upperBound) + 1] = true
    }
    let asksForWords = states.contains {
      guard case .assertion(let assertion, _) = $0 else { return false }
      return assertion == .wordBoundary || assertion == .noWordBoundary
    }
    if asksForWords {
      for edge in [0x30, 0x3a, 0x41, 0x5b, 0x5f, 0x60, 0x61, 0x7b, 0x80, 0xc0] {
        beginsClass[edge] = true
      }
    }
    for byte in 0...UInt8.max {
      if byte == 0 || beginsClass[Int(byte)] { byteOfClass.append(byte) }
      classOfByte[Int(byte)] = UInt8(byteOfClass.count - 1)
    }
  }
}

/// Makes programs, from the end of the expression to its start: each part is told where to go on.
private struct RegexCompiler {
  struct TooManyStates: Error {}

  private var states: [RegexProgram.State] = [.match]
  private var arcs: [RegexProgram.Arc] = []
  /// States of bytes by their arcs, so that the tails of encodings are shared.
  private var statesByArcs: [[RegexProgram.Arc]: Int] = [:]

  mutating func compile(_ tree: RegexTree) throws(TooManyStates) -> RegexProgram {
    let start = try state(for: tree, then: 0)
    return RegexProgram(states: states, arcs: arcs, start: start)
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
