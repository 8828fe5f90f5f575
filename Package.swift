// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "periscope",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "JournalKit", targets: ["JournalKit"]),
    .library(name: "SegmentIndex", targets: ["SegmentIndex"]),
    .library(name: "PQL", targets: ["PQL"]),
    .library(name: "PeriscopeCore", targets: ["PeriscopeCore"]),
    .executable(name: "pql-repl", targets: ["pql-repl"]),
    // For the package in `Fuzz` alone.
    .library(name: "_FuzzTargets", targets: ["FuzzTargets"]),
  ],
  targets: [
    // Each layer names only the layers below it; ARCHITECTURE.md says why.
    .target(name: "JournalKit"),
    .target(name: "SegmentIndex", dependencies: ["JournalKit"]),
    .target(name: "PQL", dependencies: ["SegmentIndex"]),
    .target(name: "PeriscopeCore", dependencies: ["JournalKit", "SegmentIndex", "PQL"]),
    .executableTarget(
      name: "pql-repl", dependencies: ["PeriscopeCore", "PQL"],
      linkerSettings: [
        // The tool starts in half of the time when it has no libraries to look for, and can be copied to where a
        // store is. Products that others depend on have no such flags.
        .unsafeFlags(
          ["-static-executable", "-l_FoundationCollections", "-l_FoundationCShims", "-use-ld=lld"],
          .when(platforms: [.linux], configuration: .release))
      ]),

    .target(
      name: "TestSupport", dependencies: ["JournalKit", "SegmentIndex"], path: "Tests/TestSupport"),
    .target(
      name: "FuzzTargets", dependencies: ["JournalKit", "SegmentIndex", "PQL", "TestSupport"],
      path: "Tests/FuzzTargets"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "JournalKit", "TestSupport"]),
    .testTarget(
      name: "JournalKitTests", dependencies: ["JournalKit", "TestSupport", "fork-writer"]),
    // A program that forks while its journal, or its store, is open.
    .executableTarget(
      name: "fork-writer", dependencies: ["JournalKit", "PeriscopeCore"], path: "Tests/ForkWriter"),
    .testTarget(
      name: "SegmentIndexTests", dependencies: ["SegmentIndex", "JournalKit", "TestSupport"]),
    .testTarget(
      name: "PQLTests", dependencies: ["PQL", "SegmentIndex", "FuzzTargets", "TestSupport"]),
    .testTarget(
      name: "PeriscopeCoreTests",
      dependencies: [
        "PeriscopeCore", "SegmentIndex", "JournalKit", "PQL", "TestSupport", "crash-writer",
        "fork-writer",
      ]),
    // A program that logs until it is killed, or ends in another way.
    .executableTarget(
      name: "crash-writer", dependencies: ["PeriscopeCore", "JournalKit"],
      path: "Tests/CrashWriter"),
    .testTarget(name: "TidyTests"),
    .testTarget(
      name: "PqlReplTests",
      dependencies: ["pql-repl", "PeriscopeCore", "PQL", "JournalKit", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // `@_lifetime` on the readers and writers that borrow a `RawSpan`.
    .enableExperimentalFeature("Lifetimes"),
  ]
}
