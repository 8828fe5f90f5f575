import Synchronization

/// The logs of class instances, found by address.
///
/// An address alone does not say which instance is there: when one dies, the next may be put in its place. So an entry
/// holds its instance by an `unowned` reference, too. That lets the instance die, but keeps its memory from being given to
/// anybody else until the entry is gone. Who is at an entry's address is therefore who made the entry.
///
/// Entries of dead instances go when the number of entries has doubled: there are at most twice as many as there were
/// instances alive, and the time that it takes is constant for each new instance.
package final class LogInstances: Sendable {
  package static let shared = LogInstances()

  /// `@unchecked` because instances need not be sendable: the references are only compared, nobody is reached by them.
  fileprivate struct Entry: @unchecked Sendable {
    weak var instance: AnyObject?
    unowned let memory: AnyObject
    let log: Log<Message>

    init(_ instance: AnyObject, _ log: Log<Message>) {
      self.instance = instance
      memory = instance
      self.log = log
    }

    /// Whether the entry at the address of `candidate` is its.
    func belongs(to candidate: AnyObject) -> Bool {
      #if canImport(ObjectiveC)
        // Memory of classes that descend from Objective-C's is not kept.
        instance === candidate
      #else
        true
      #endif
    }
  }

  /// Instances that are kept alive for a moment.
  ///
  /// `@unchecked` because they need not be sendable: nothing is done with them but to let them go.
  fileprivate struct Kept: @unchecked Sendable {
    var instances: [AnyObject] = []
  }

  fileprivate struct Registry {
    var entries: [ObjectIdentifier: Entry] = [:]
    var limit = LogInstances.minimumLimit
  }

  package static let minimumLimit = 64
  private let registry = Mutex(Registry())
  private let lastNumber = Atomic<UInt64>(0)

  package init() {}

  /// How many instances, dead or alive, are known.
  package var count: Int { registry.withLock { $0.entries.count } }

  /// The log of `instance`, which `make` makes the first time, from a number that no other instance gets.
  package func log(of instance: AnyObject, _ make: (UInt64) -> Log<Message>) -> Log<Message> {
    let key = ObjectIdentifier(instance)
    if let known = known(key, instance) { return known }
    // Not under the lock: it is the program's code, which may ask for the log of another instance.
    let log = make(lastNumber.add(1, ordering: .relaxed).newValue)
    // Nobody can be found again who is dying already.
    weak let living = instance
    guard living != nil else { return log }
    let entry = Entry(instance, log)
    let (first, kept) = registry.withLock { registry in
      if let other = registry.entries[key], other.belongs(to: entry.memory) {
        return (other.log, Kept())
      }
      registry.entries[key] = entry
      return (log, registry.sweep())
    }
    // Released here and not under the lock: the last reference to an instance runs its `deinit`, which may log.
    withExtendedLifetime(kept) {}
    return first
  }

  private func known(_ key: ObjectIdentifier, _ instance: AnyObject) -> Log<Message>? {
    registry.withLock { registry in
      guard let entry = registry.entries[key], entry.belongs(to: instance) else { return nil }
      return entry.log
    }
  }
}

extension LogInstances.Registry {
  /// Forgets the dead if there may be many; returns the others, which are alive as long as the caller keeps them.
  fileprivate mutating func sweep() -> LogInstances.Kept {
    var living = LogInstances.Kept()
    guard entries.count > limit else { return living }
    entries = entries.filter { _, entry in
      guard let instance = entry.instance else { return false }
      living.instances.append(instance)
      return true
    }
    limit = max(LogInstances.minimumLimit, 2 * entries.count)
    return living
  }
}
