/// The keys of open objects that have many, each by where the object's keys begin.
final class ManyKeys {
  private var sets: [Int: Set<UInt64>] = [:]

  /// Adds a key; true when the object had it already. `all` are the keys of an object that is new here.
  func add(_ key: UInt64, _ first: Int, _ all: () -> [UInt64]) -> Bool {
    sets[first, default: Set(all())].insert(key).inserted == false
  }

  /// Forgets an object.
  func remove(_ first: Int) {
    sets[first] = nil
  }
}
