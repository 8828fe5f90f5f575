internal import JournalKit

extension StoreProblem {
  /// The problem that damage to a journal is.
  init(_ damage: JournalDamage) {
    let what =
      switch damage.kind {
      case .frames: "\(damage.length) bytes are damaged"
      case .header: "the header is damaged"
      case .missingSegments: "files before this one are missing"
      case .seal: "the entries do not add up to what the seal says"
      case .misplaced: "the entries belong to another journal, or are there twice"
      case .unsupportedVersion(let version): "format version \(version) is not known"
      case .unreadable(let error): "\(error)"
      }
    let missing =
      switch damage.missing {
      case nil: ", and an unknown number of entries is missing"
      case 0: ""
      case 1: ", and 1 entry is missing"
      case let count?: ", and \(count) entries are missing"
      }
    self.init(file: damage.file, offset: Int(damage.offset), reason: what + missing)
  }
}
