/// What a journal takes from the world: files, the time, and randomness.
package struct JournalEnvironment: Sendable {
  package var fileSystem: any FileSystem
  package var clock: WallClock
  /// A new random number at each call, for identities and salts.
  package var random: @Sendable () -> UInt64
  /// Runs work that nobody waits for.
  package var background: @Sendable (@escaping @Sendable () -> Void) -> Void

  package init(
    fileSystem: any FileSystem = POSIXFileSystem(), clock: WallClock = .system,
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
    background: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void =
      BackgroundThread.run
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.random = random
    self.background = background
  }
}
