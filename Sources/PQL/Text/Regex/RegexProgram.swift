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

  let states: [State]
  let arcs: [Arc]
  let start: Int
  /// For each byte the number of its class. The program treats all bytes of a class alike.
  private(set) var classOfByte = [UInt8](repeating: 0, count: 256)
  /// One byte of each class.
  private(set) var byteOfClass: [UInt8] = []

  /// The program for a tree.
  init(_ tree: RegexTree, patternByteCount: Int) throws(RegexError) {
    do throws(RegexCompiler.TooManyStates) {
      (states, arcs, start) = try RegexCompiler.compile(tree)
    } catch {
      throw RegexError(
        kind: .limit, range: 0..<patternByteCount,
        reason: "the expression needs more than \(Self.stateLimit) states; repeat less often")
    }
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
