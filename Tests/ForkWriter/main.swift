// A program that forks while its journal is open. What the child finds out about the journal is its exit status;
// the parent goes on writing, and ends with the child's status.
//
//   fork-writer DIRECTORY written|mapped|store|abandon
//
// The journal is in DIRECTORY/parent; the child's own is in DIRECTORY/child. `store` is about a whole store in its place.
// With `abandon` it is a child that has the journal, and dies, but not so a child of its own.

import JournalKit

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the child did not find as it must be.
enum Failure: Int32 {
  case appended = 10, appendedInPlace, ownJournal, closed
}

// A program that hangs must not hang the tests.
alarm(60)
let directory = CommandLine.arguments[1]
if CommandLine.arguments[2] == "store" { exit(try forkStore(in: directory)) }
let configuration = Journal.Configuration(
  maximumByteCount: 1 << 20, segmentByteCount: 64 << 10,
  backend: CommandLine.arguments[2] == "mapped" ? .mapped : .written)

/// Does nothing: a thread of the parent could hold a lock of Swift's own library when the process is forked, and the
/// child would wait for it for ever.
struct Idle: BackgroundWorker {
  func wake() -> Bool { true }
  func stop() {}
}

let environment = JournalEnvironment(worker: { _ in Idle() })
if CommandLine.arguments[2] == "abandon" { exit(abandon()) }
let journal = try Journal(
  directory: directory + "/parent", configuration: configuration, environment: environment)

/// Whether a journal can be claimed when its process is dead and a child of that lives on: 0, or what is wrong.
func abandon() -> Int32 {
  var ends: [Int32] = [0, 0]
  var running: [Int32] = [0, 0]
  guard unsafe pipe(&ends) == 0, unsafe pipe(&running) == 0 else { return 40 }
  let owner = fork()
  if owner == 0 {
    alarm(60)
    let journal = try? Journal(
      directory: directory + "/parent", configuration: configuration, environment: environment)
    if fork() > 0 { _exit(journal == nil ? 1 : 0) }
    // Until the other end is closed, at the latest by the death of the process that has it.
    close(ends[1])
    withExtendedLifetime(journal) {
      var byte: UInt8 = 0
      _ = unsafe write(running[1], &byte, 1)
      _ = unsafe read(ends[0], &byte, 1)
    }
    _exit(0)
  }
  var status: Int32 = 0
  while unsafe waitpid(owner, &status, 0) == -1 && errno == EINTR {}
  guard status == 0 else { return 41 }
  // A busy machine may run the child only after its parent's death: before that it cannot have let go of anything.
  var byte: UInt8 = 0
  while unsafe read(running[0], &byte, 1) == -1 && errno == EINTR {}
  do {
    _ = try Journal(
      directory: directory + "/parent", configuration: configuration, environment: environment)
  } catch { return 42 }
  close(ends[1])
  return 0
}

func append(_ numbers: ClosedRange<UInt8>, to journal: Journal) throws {
  for number in numbers { try journal.append([number]) }
}

func child() -> Failure? {
  do {
    try journal.append([99])
    return .appended
  } catch { if error != .forked { return .appended } }
  do {
    try journal.append(capacity: 1) { output in
      output.append(99)
      return true
    }
    return .appendedInPlace
  } catch { if error != .forked { return .appendedInPlace } }
  do {
    let own = try Journal(
      directory: directory + "/child", configuration: configuration, environment: environment)
    try append(1...50, to: own)
    own.close()
  } catch { return .ownJournal }
  journal.close()
  do {
    try journal.append([99])
    return .closed
  } catch { return error == .forked ? nil : .closed }
}

try append(1...50, to: journal)
let process = fork()
if process == 0 {
  alarm(60)
  _exit(child()?.rawValue ?? 0)
}
try append(51...100, to: journal)
var status: Int32 = 0
while unsafe waitpid(process, &status, 0) == -1 && errno == EINTR {}
// The child gave its claim up: it must not have been this one.
do {
  _ = try Journal(directory: directory + "/parent", configuration: configuration)
  exit(20)
} catch {
  guard case .ownedByAnother = error else { exit(21) }
}
try append(101...150, to: journal)
journal.close()
exit(status & 0x7f == 0 ? status >> 8 : 22)
