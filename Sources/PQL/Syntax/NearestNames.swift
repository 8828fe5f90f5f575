/// The names closest to `name` by Damerau-Levenshtein distance, best first and ties alphabetical: at
/// most three, at most two edits away, only one edit when the name is short, and none to a single letter,
/// which is like every other.
package func nearestNames(to name: String, in candidates: some Sequence<String>) -> [String] {
  let typed = Array(name.unicodeScalars)
  // Nothing this long is a misspelt name, and the distance costs a product of lengths.
  guard 2...64 ~= typed.count else { return [] }
  let limit = typed.count <= 4 ? 1 : 2
  var found: [(distance: Int, name: String)] = []
  for candidate in Set(candidates) where candidate != name {
    let scalars = Array(candidate.unicodeScalars)
    guard abs(scalars.count - typed.count) <= limit else { continue }
    let distance = editDistance(typed, scalars)
    if distance <= limit { found.append((distance, candidate)) }
  }
  return found.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
  var twoBack = [Int](repeating: 0, count: right.count + 1)
  var previous = Array(0...right.count)
  for (i, a) in left.enumerated() {
    var current = [i + 1]
    for (j, b) in right.enumerated() {
      var best = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a == b ? 0 : 1))
      if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
        best = min(best, twoBack[j - 1] + 1)
      }
      current.append(best)
    }
    (twoBack, previous) = (previous, current)
  }
  return previous[right.count]
}
