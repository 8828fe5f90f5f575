// A program to be killed: logs from two threads through the public API and, after each call that
// returned, writes `<thread> <number>` to standard output.
//
//   crash-writer STORE
//
// With `signals` it logs the signals that it gets, says `ready`, and waits for its end; with `handled` it has a handler
// of its own, and ends by itself when the store knows of the signal.
//
//   crash-writer STORE signals|handled
//
// The others end by themselves: in the middle of logging, with an exit handler that logs, or after somebody closed
// all files that the store had open.
//
//   crash-writer STORE exit|descriptors-mapped|descriptors-written
//
// Or they log where no file may become long, or cut off one that is.
//
//   crash-writer STORE limited-mapped|limited-written|cut
//
// Or they end in the worst way, just after they logged.
//
//   crash-writer STORE abort|trap|fault

import Dispatch
import Foundation
import PeriscopeCore

/// Lets somebody go on when a record of an event is in the store.
struct Wait: LogSink {
  let event: String
  let goOn = DispatchSemaphore(value: 0)

  func receive(_ records: [Record]) {
    for record in records where record.event == event { goOn.signal() }
  }
}

func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let mode = CommandLine.arguments.dropFirst(2).first
if mode != nil {
  // A program that hangs must not hang the tests. It may have inherited signals that are ignored or blocked.
  alarm(60)
  for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_DFL) }
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe sigprocmask(SIG_SETMASK, &none, nil)
}
let directory = CommandLine.arguments[1]
if mode?.hasPrefix("limited") == true {
  try logWithShortFiles(directory, isMapped: mode == "limited-mapped")
  exit(0)
}
if mode == "cut" {
  try cutLongFile(directory)
  exit(0)
}
if mode?.hasPrefix("descriptors") == true {
  try logWithoutDescriptors(directory, isMapped: mode == "descriptors-mapped")
  exit(0)
}
let store = try PeriscopeStore.make(
  storage: .directory(directory), session: .current(app: "crash-writer 1.0"))

switch mode {
case "signals":
  try store.start(ProcessSignals())
  say("ready")
case "handled":
  signal(SIGTERM) { _ in _ = unsafe write(1, "handled\n", 8) }
  try store.start(ProcessSignals())
  let wait = Wait(event: "ambient.process")
  store.add(sink: wait)
  say("ready")
  wait.goOn.wait()
  exit(0)
case "exit": exitWhileOthersLog(store)
case "abort", "trap", "fault":
  store.log("End").error("the last word")
  switch mode {
  case "abort": abort()
  case "trap": fatalError("the end")
  default: Thread.detachNewThread { kill(getpid(), SIGSEGV) }
  }
default: logFromTwoThreads(store)
}
while true { pause() }
