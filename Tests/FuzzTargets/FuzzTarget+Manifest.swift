import JournalKit
import SegmentIndex
import TestSupport

extension FuzzTarget {
  /// Bytes are a manifest or they are not; one that is survives being written, and a store opens on it.
  @Sendable static func manifest(_ input: [UInt8]) throws {
    _ = try? Manifest(input.rawSpan)
    guard input.count > 4 else { return }
    // With a checksum that fits, the search gets past it.
    let content = input.dropLast(4)
    let checksum = CRC32C.checksum(Array(content).rawSpan)
    let bytes = content + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    let disk = SimulatedDisk()
    disk.setContent(of: "/store/manifest-0000000000000001", to: Array(bytes))
    do throws(StoreError) {
      let store = try SegmentStore(directory: "/store", fileSystem: disk)
      _ = try store.snapshot()
      _ = try StoreVerifier.verify(store)
    } catch {
      guard case .unsupportedVersion = error else { throw error }
    }
    guard let manifest = try? Manifest(Array(bytes).rawSpan) else { return }
    try require(
      try Manifest(manifest.encoded().rawSpan) == manifest, "\(manifest) was not read as written")
    let plan = MergePlan(bucketWidth: 1, rowLimit: 1_000)
    let groups = plan.groups(of: manifest.segments)
    try require(
      groups.allSatisfy { $0.reduce(0) { $0 + Int($1.rowCount) } <= 1_000 },
      "a merge would make too many records")
    for now in [Int64.min, 0, .max] {
      _ = Retention(maximumAge: .seconds(1), maximumByteCount: 1).expired(
        manifest.segments, now: now)
    }
  }
}
