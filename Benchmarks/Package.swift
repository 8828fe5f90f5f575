// swift-tools-version: 6.2

import PackageDescription

let journalKit = Target.Dependency.product(name: "JournalKit", package: "periscope")
let periscopeCore = Target.Dependency.product(name: "PeriscopeCore", package: "periscope")

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "periscope", path: "..")],
  targets: [
    // What appending costs the thread that logs, and what SIGKILL costs the journal.
    .executableTarget(name: "append-benchmark", dependencies: ["AppendHarness", journalKit]),
    // The same of the ways to keep a log that the journal was chosen from.
    .executableTarget(
      name: "journal-candidates", dependencies: ["AppendHarness", "CSQLite", journalKit]),
    // What a whole log call costs the thread that logs.
    .executableTarget(
      name: "emit-benchmark",
      dependencies: ["AppendHarness", .product(name: "PeriscopeCore", package: "periscope")]),
    // What checksums cost that could have been the journal's.
    .executableTarget(name: "checksum-candidates", dependencies: ["AppendHarness"]),
    // Sixteen queries over a million records, beside those of other stores.
    .executableTarget(
      name: "query-benchmark", dependencies: [periscopeCore],
      // Linked as the command line's program is.
      linkerSettings: [
        .unsafeFlags(
          [
            "-static-executable", "-lCoreFoundation", "-l_FoundationICU",
            "-l_FoundationCollections", "-l_FoundationCShims", "-use-ld=lld",
          ],
          .when(platforms: [.linux], configuration: .release))
      ]),
    // Payloads, threads, clocks, quantiles, the kill test, and the journal to be measured.
    .target(name: "AppendHarness", dependencies: [journalKit]),
    // apt-get install libsqlite3-dev
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [.treatAllWarnings(as: .error)]
}
