internal import JournalKit

extension StoreTransaction {
  /// Removes the temporary files of transactions that died, and adopts segments that would be lost otherwise.
  ///
  /// Other unlisted ones and damaged manifests stay until there is a manifest that knows what was lost with
  /// them: as long as they are there, every opening finds out again.
  func clearUp() throws(StoreError) {
    for directory in [layout.directory, layout.segments] {
      for name in try StoreContents.names(in: directory, fileSystem) where isTemporary(name) {
        try? fileSystem.unlink(FilePath.join(directory, name))
      }
    }
    // What had to be pieced together is written down, so that it is the store from now on.
    if contents.isRecovered {
      hasChanges =
        contents.highestGeneration > 0 || !contents.manifest.segments.isEmpty
        || !contents.manifest.gaps.isEmpty
    }
    leftovers = try contents.adopt(
      layout, fileSystem, all: contents.isRecovered && contents.checksum == 0)
    // What a commit does not know would be lost with it.
    if contents.isRecovered, let error = leftovers.unsettled { throw error }
    if contents.isAmended { hasChanges = true }
    leftovers.evidence += contents.damagedManifests
    // Those that are not there any more need not be remembered.
    contents.manifest.removed = leftovers.redundant
      .compactMap { StoreLayout.segmentID(ofFile: FilePath.name(of: $0)) }
    initial = contents.manifest
  }

  private func isTemporary(_ name: String) -> Bool {
    guard name.hasSuffix(StoreLayout.temporarySuffix) else { return false }
    let final = String(name.dropLast(StoreLayout.temporarySuffix.count))
    return StoreLayout.segmentID(ofFile: final) != nil || layout.generation(ofFile: final) != nil
  }
}
