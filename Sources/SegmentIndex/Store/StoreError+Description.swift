internal import JournalKit

extension StoreError: CustomStringConvertible {
  /// The error as a sentence without a full stop.
  public var description: String {
    switch self {
    case .notAStore(let directory): "there is no store in \(directory)"
    case .closed: "the session has ended"
    case .disk(let error): "\(error)"
    case .segment(let error): "\(error.segment) at \(error.offset): \(error.reason)"
    case .busy: "another process is changing the store; try again when it is done"
    case .conflict: "another process changed the store at the same time; try again"
    case .journalIsLive(let directory): "a living process logs to \(directory)"
    case .unsupportedVersion(let file, let version):
      "\(file) has format version \(version), which only a newer program reads"
    case .unreadable(let damage): "\(StoreProblem(damage))"
    }
  }
}
