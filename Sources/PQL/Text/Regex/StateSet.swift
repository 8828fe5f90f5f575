/// A set of the states of one program that is emptied at once and keeps the order of insertion.
struct StateSet {
  private var members: [Int]
  /// For each member, where in `members` it is; anything for other states.
  private var places: [Int]
  private(set) var count = 0

  init(capacity: Int) {
    members = [Int](repeating: 0, count: capacity)
    places = members
  }

  var isEmpty: Bool { count == 0 }

  /// The member at `index`, in the order of insertion.
  subscript(index: Int) -> Int { members[index] }

  func contains(_ state: Int) -> Bool {
    places[state] < count && members[places[state]] == state
  }

  /// Adds a state; false when it was there.
  @discardableResult
  mutating func insert(_ state: Int) -> Bool {
    guard !contains(state) else { return false }
    members[count] = state
    places[state] = count
    count += 1
    return true
  }

  mutating func removeAll() {
    count = 0
  }
}
