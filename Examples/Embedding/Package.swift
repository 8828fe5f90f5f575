// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Embedding",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "periscope", path: "../..")],
  targets: [
    // Logs, crashes on request, and asks what happened.
    .executableTarget(
      name: "embedding", dependencies: [.product(name: "PeriscopeCore", package: "periscope")]),
    // The engine alone: journal, segment and query, without Foundation.
    .executableTarget(
      name: "tiny",
      dependencies: [
        .product(name: "JournalKit", package: "periscope"),
        .product(name: "SegmentIndex", package: "periscope"),
        .product(name: "PQL", package: "periscope"),
      ]),
    // Segments alone: records in, columns out.
    .executableTarget(
      name: "columns", dependencies: [.product(name: "SegmentIndex", package: "periscope")]),
  ],
  swiftLanguageModes: [.v6]
)
