/// A class each of whose instances has a log of its own, without storing one.
///
/// ```swift
/// final class Player: LogContextProviding {
///   var parentLog: Log<Message> { Log.current ?? app }
///   func play() { log.info("playing") }  // at App/Player/3, say
/// }
/// ```
///
/// The third instance that asked for its log in this process is number 3, at whatever address it is: no other
/// instance ever gets the number, not even one that is made later in the same place of memory.
public protocol LogContextProviding: AnyObject {
  /// What the instance's log is derived from; asked the first time that the instance logs. Another instance's
  /// `log` nests this one below that one.
  var parentLog: Log<Message> { get }
  /// The name of the scope that all instances are under; the type's own name unless given.
  static var logName: String { get }
}

extension LogContextProviding {
  /// The type's own name.
  public static var logName: String { String(describing: Self.self) }

  /// The instance's own log: the scope of its type below `parentLog`, and the instance's number below that.
  ///
  /// It stays the same as long as the instance lives, and in `deinit`, unless so many instances of other classes get
  /// their logs meanwhile that it is forgotten: then `deinit` has a number of its own. Safe to use by any thread that
  /// may use the instance. Costs a lock and a look-up.
  public var log: Log<Message> {
    LogInstances.shared.log(of: self) { number in parentLog(Self.logName)(for: number) }
  }
}
