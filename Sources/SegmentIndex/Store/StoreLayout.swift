internal import JournalKit

/// Where things are in a store's directory.
struct StoreLayout: Sendable, Equatable {
  let directory: String

  var segments: String { FilePath.join(directory, "segments") }
  var journals: String { FilePath.join(directory, "journals") }
  var attachments: String { FilePath.join(directory, "attachments") }
  var quarantine: String { FilePath.join(directory, "quarantine") }
  var reserve: String { FilePath.join(directory, "reserve") }
  var lock: String { FilePath.join(directory, "compact.lock") }

  private static let segmentSuffix = ".pseg"
  private static let manifestPrefix = "manifest-"
  /// Files with this ending are work in progress; without a living worker they are litter.
  static let temporarySuffix = ".tmp"

  func segment(_ id: UniqueID) -> String {
    FilePath.join(segments, Self.segmentName(id))
  }

  func manifest(_ generation: UInt64) -> String {
    FilePath.join(directory, Self.manifestPrefix + Self.hexadecimal(generation))
  }

  /// 16 digits.
  static func hexadecimal(_ generation: UInt64) -> String {
    let digits = String(generation, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Whether a file in the quarantine is called as the store calls them: a generation, and where it was.
  static func isQuarantined(_ name: String) -> Bool {
    let prefix = name.prefix(17)
    return prefix.count == 17 && prefix.last == "-"
      && UInt64(prefix.dropLast(), radix: 16).map { hexadecimal($0) == prefix.dropLast() } == true
  }

  /// `path` as seen from the store.
  func relative(_ path: String) -> String {
    let prefix = FilePath.join(directory, "")
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }

  static func segmentName(_ id: UniqueID) -> String {
    id.description + segmentSuffix
  }

  /// The identity in a segment's file name; nil for the name of anything else.
  static func segmentID(ofFile name: String) -> UniqueID? {
    guard let id = UniqueID(name.dropLast(segmentSuffix.count)), segmentName(id) == name
    else { return nil }
    return id
  }

  /// The generation in a manifest's file name; nil for the name of anything else. No store counts beyond 2^63:
  /// a name can be anything, and there must be a next generation.
  func generation(ofFile name: String) -> UInt64? {
    let prefix = Self.manifestPrefix.utf8
    guard name.utf8.count == prefix.count + 16, name.utf8.starts(with: prefix) else { return nil }
    var generation: UInt64 = 0
    for digit in name.utf8.dropFirst(prefix.count) {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        generation = generation << 4 | UInt64(digit - 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        generation = generation << 4 | UInt64(digit - 0x57)
      default: return nil
      }
    }
    return generation <= Int64.max ? generation : nil
  }
}
