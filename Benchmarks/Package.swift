// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "periscope", path: "..")],
  targets: [
    // What appending costs the thread that logs, and what SIGKILL costs the journal.
    .executableTarget(
      name: "append-benchmark",
      dependencies: [.product(name: "JournalKit", package: "periscope")])
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [.treatAllWarnings(as: .error)]
}
