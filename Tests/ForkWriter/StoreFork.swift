import JournalKit
import PeriscopeCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Forks while a store is open that has everything: a sink, a live stream, an open span, and a body that is measured and
/// forks in the middle. The child logs, closes and runs its exit handlers; its status is returned.
func forkStore(in directory: String) throws -> Int32 {
  let store = try PeriscopeStore.make(
    storage: .directory(directory), session: .current(app: "fork-writer"),
    environment: JournalEnvironment(worker: { _ in Idle() }))
  let log = store.log("App")
  store.add(sink: MemorySink())
  let stream = store.liveRecords()
  log.begin("lease", for: 1, lifetime: .bounded(.seconds(3_600)))
  log.info("parent, before")
  let process = log.measure("forking") { fork() }
  if process == 0 {
    alarm(60)
    log.info("child")
    log.fault("child")
    log.begin("other", for: 2)
    log.end("lease", for: 1)
    log.measure("measured") { log.error("child") }
    let isRefused = store.appendFailureCount == 3
    store.close()
    log.info("child")
    store.close()
    exit(isRefused ? 0 : 30)
  }
  log.info("parent, after")
  var status: Int32 = 0
  while unsafe waitpid(process, &status, 0) == -1 && errno == EINTR {}
  log.end("lease", for: 1)
  store.close()
  withExtendedLifetime(stream) {}
  return status & 0x7f == 0 ? status >> 8 : 31
}
