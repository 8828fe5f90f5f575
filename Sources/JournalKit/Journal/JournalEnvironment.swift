/// What a journal takes from the world: files, the time, and randomness.
package struct JournalEnvironment: Sendable {
  package var fileSystem: any FileSystem
  package var clock: WallClock
  /// A new random number at each call, for identities and salts.
  package var random: @Sendable () -> UInt64
  /// Runs work that nobody waits for.
  package var background: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// Makes what repeats work that nobody waits for. The work returns how long it wants to pause at most, nil until
  /// somebody wakes it.
  package var worker:
    @Sendable (_ work: @escaping @Sendable () -> Duration?) -> any BackgroundWorker

  package init(
    fileSystem: any FileSystem = POSIXFileSystem(), clock: WallClock = .system,
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
    background: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void =
      BackgroundThread.run,
    worker:
      @escaping @Sendable (_ work: @escaping @Sendable () -> Duration?) -> any BackgroundWorker = {
        BackgroundThread($0)
      }
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.random = random
    self.background = background
    self.worker = worker
  }
}
