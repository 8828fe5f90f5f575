// A program to be killed: logs from two threads through the public API and, after each call that
// returned, writes `<thread> <number>` to standard output.
//
//   crash-writer STORE

import Foundation
import PeriscopeCore

let store = try PeriscopeStore.make(
  storage: .directory(CommandLine.arguments[1]), session: .current(app: "crash-writer 1.0"))
let log = store.log("Crash")

for thread in 0..<2 {
  Thread.detachNewThread {
    let log = log("Thread-\(thread)")
    for number in 1... {
      log.tagged("n", number).info("number \(number) of thread \(thread)")
      let line = "\(thread) \(number)\n"
      // One short write to a pipe is atomic, so lines of the two threads never mix.
      FileHandle.standardOutput.write(Data(line.utf8))
    }
  }
}
while true { pause() }
