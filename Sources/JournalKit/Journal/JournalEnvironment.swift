/// What a journal takes from the world: files, the time, and randomness.
package struct JournalEnvironment: Sendable {
  package var fileSystem: any FileSystem
  package var clock: WallClock
  /// A new random number at each call, for identities and salts.
  package var random: @Sendable () -> UInt64

  package init(
    fileSystem: any FileSystem = POSIXFileSystem(), clock: WallClock = .system,
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.random = random
  }
}
