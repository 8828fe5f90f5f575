internal import SegmentIndex

extension Value {
  /// The value that a dictionary's term stands for.
  init(_ term: Term) {
    switch term {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text)
    case .json(let text): self = .json(text)
    case .level(let level): self = .level(level)
    case .identity(let id): self = .uuid(id)
    case .list(let texts): self = .list(texts.map(Value.string))
    }
  }
}
