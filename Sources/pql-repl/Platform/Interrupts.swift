import PQL

/// Switched on by Ctrl-C at a prompt, where it ends the query that is running and nothing else.
let interruption = QueryCancellation()

/// Lets Ctrl-C switch `interruption` on instead of ending the program.
func catchInterrupts() {
  // Now, because a signal's handler must not be the first to ask for it.
  interruption.reset()
  signal(SIGINT) { _ in interruption.cancel() }
}
