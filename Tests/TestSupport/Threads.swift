#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs `body` on `count` threads at once, with the numbers from 0, and waits for all of them.
///
/// Tasks will not do for code that blocks: there are only as many threads for them as processors.
package func runThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  final class Start {
    let number: Int
    let body: @Sendable (Int) -> Void

    init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) {
      self.number = number
      self.body = body
    }
  }
  var threads: [pthread_t] = []
  for number in 0..<count {
    let start = unsafe Unmanaged.passRetained(Start(number, body)).toOpaque()
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument as UnsafeMutableRawPointer? else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        start.body(start.number)
        return nil
      }, start)
    precondition(code == 0, "no thread to be had")
    threads.append(thread)
  }
  for thread in threads { pthread_join(thread, nil) }
}
