#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An object of its own for each thread that asks for one, released when the thread ends.
///
/// Asking costs a load and a call; nothing is shared between threads, so there is nothing to wait for. The operating
/// system has room for about a thousand of these in a process, and keeps them for ever: they are for statics.
package final class ThreadLocal<Value: AnyObject>: Sendable {
  private let key: pthread_key_t
  private let make: @Sendable () -> Value

  package init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
    var key = pthread_key_t()
    let code = unsafe pthread_key_create(&key) { value in
      guard let value = unsafe value as UnsafeMutableRawPointer? else { return }
      unsafe Unmanaged<AnyObject>.fromOpaque(value).release()
    }
    precondition(code == 0, "the operating system has no room for an object for each thread")
    self.key = key
  }

  /// The calling thread's object, made when it asks for the first time.
  package var value: Value {
    if let known = unsafe pthread_getspecific(key) {
      return unsafe Unmanaged<Value>.fromOpaque(known).takeUnretainedValue()
    }
    let value = make()
    unsafe pthread_setspecific(key, Unmanaged.passRetained(value).toOpaque())
    return value
  }
}
