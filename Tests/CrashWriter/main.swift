// A program to be killed: logs from two threads through the public API and, after each call that
// returned, writes `<thread> <number>` to standard output.
//
//   crash-writer STORE
//
// With `signals` it logs the signals that it gets, says `ready`, and waits for its end; with `handled` it has a handler
// of its own, and ends by itself when the store knows of the signal.
//
//   crash-writer STORE signals|handled

import Foundation
import PeriscopeCore

if CommandLine.arguments.count > 2 {
  // A program that hangs must not hang the tests. It may have inherited signals that are ignored or blocked.
  alarm(60)
  for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_DFL) }
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe sigprocmask(SIG_SETMASK, &none, nil)
}
let store = try PeriscopeStore.make(
  storage: .directory(CommandLine.arguments[1]), session: .current(app: "crash-writer 1.0"))

func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

switch CommandLine.arguments.dropFirst(2).first {
case "signals":
  try store.start(ProcessSignals())
  say("ready")
case "handled":
  signal(SIGTERM) { _ in _ = unsafe write(1, "handled\n", 8) }
  try store.start(ProcessSignals())
  say("ready")
  while store.ambient["process"] != "ending" { usleep(1_000) }
  exit(0)
default:
  let log = store.log("Crash")
  for thread in 0..<2 {
    Thread.detachNewThread {
      let log = log("Thread-\(thread)")
      for number in 1... {
        log.tagged("n", number).info("number \(number) of thread \(thread)")
        // One short write to a pipe is atomic, so lines of the two threads never mix.
        say("\(thread) \(number)")
      }
    }
  }
}
while true { pause() }
