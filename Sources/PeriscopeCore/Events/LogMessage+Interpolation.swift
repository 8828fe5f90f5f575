import JournalKit

extension LogMessage {
  /// The parts of a message while it is made.
  public struct StringInterpolation: StringInterpolationProtocol {
    /// The thread's own, which is used again and again; only the first `length` bytes are meant. A copy of these parts
    /// sees by that when the other one has gone on.
    private var text: TextBuffer
    private var length = 0
    private(set) var bounds = LogMessageBounds()

    /// Nothing yet.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text = EmitThread.current.takeMessageText()
    }

    /// Adds a literal part.
    public mutating func appendLiteral(_ literal: String) {
      unshare()
      text.append(raw: literal)
      length = text.count
    }

    // For the types that stand in most messages: a value of any type takes several times as long.

    /// Adds text.
    public mutating func appendInterpolation(_ value: String) {
      append { $0.append(raw: value) }
    }

    /// Adds a whole number.
    public mutating func appendInterpolation(_ value: Int) {
      append { $0.append(Int64(value)) }
    }

    /// Adds a number.
    public mutating func appendInterpolation(_ value: Double) {
      append { $0.append(value) }
    }

    /// Adds `true` or `false`.
    public mutating func appendInterpolation(_ value: Bool) {
      append { $0.append(value) }
    }

    /// Adds a whole number.
    public mutating func appendInterpolation(_ value: some FixedWidthInteger) {
      append { text in
        if let value = Int64(exactly: value) {
          text.append(value)
        } else {
          text.append(raw: value.description)
        }
      }
    }

    /// Adds a value as `print` would show it.
    public mutating func appendInterpolation(_ value: some Any) {
      // What the value says of itself may log in turn.
      let described = String(describing: value)
      append { $0.append(raw: described) }
    }

    /// Adds a type's name.
    public mutating func appendInterpolation(_ type: any Any.Type) {
      append { $0.append(raw: String(describing: type)) }
    }

    /// Adds a value, or what stands for it. A private value's `description` is not even asked for.
    public mutating func appendInterpolation(_ value: some Any, privacy: LogPrivacy) {
      switch privacy {
      case .public: appendInterpolation(value)
      case .private: append { $0.append("<private>") }
      case .hash:
        let hash = PrivateHash.text(of: String(describing: value))
        append { $0.append(raw: "<private \(hash)>") }
      }
    }

    @inline(__always)
    private mutating func append(_ body: (TextBuffer) -> Void) {
      unshare()
      body(text)
      bounds.append(length..<text.count)
      length = text.count
    }

    /// Makes sure that nobody else adds to the same text.
    @inline(__always)
    private mutating func unshare() {
      if text.count != length { text = text.copy(count: length) }
    }

    /// Ends the text and returns it.
    mutating func finish() -> String {
      unshare()
      let finished = text.string
      // Unless a copy of these parts is still there.
      if isKnownUniquelyReferenced(&text) { EmitThread.current.giveBack(text) }
      return finished
    }
  }
}
