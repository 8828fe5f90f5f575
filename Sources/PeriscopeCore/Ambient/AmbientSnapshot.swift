public import SegmentIndex

/// The newest state of each kind of ambient event.
public struct AmbientSnapshot: Sendable, Equatable {
  /// What tags of states begin with; the kind follows.
  public static let tagPrefix = "ambient."
  /// Of more kinds than this, those that come last are not kept: each is a tag on every record.
  public static let kindLimit = 32

  /// The states as tags, sorted by kind.
  public private(set) var tags: [LogTag] = []

  /// Nothing is known.
  public init() {}

  /// The state of `kind`; nil when it is not known.
  ///
  /// Setting it to nil forgets it.
  public subscript(kind: String) -> String? {
    get {
      guard let index = index(of: kind), case .string(let state) = tags[index].value
      else { return nil }
      return state
    }
    set {
      let known = index(of: kind)
      switch (known, newValue) {
      case (let index?, let state?): tags[index].value = .string(state)
      case (let index?, nil): tags.remove(at: index)
      case (nil, let state?):
        guard tags.count < Self.kindLimit else { return }
        let tag = LogTag(Self.tagPrefix + kind, .string(state))
        let place = tags.firstIndex { tag.key < $0.key } ?? tags.endIndex
        tags.insert(tag, at: place)
      case (nil, nil): break
      }
    }
  }

  /// Takes in what an event says: a state takes the place of the one before. Events without one change nothing.
  public mutating func fold(_ event: some AmbientEvent) {
    guard let state = event.ambientState else { return }
    self[type(of: event).ambientKind] = state
  }

  private func index(of kind: String) -> Int? {
    tags.index(ofKey: Self.tagPrefix + kind)
  }
}
