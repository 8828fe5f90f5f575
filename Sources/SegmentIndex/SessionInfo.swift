/// One run of a program.
public struct SessionInfo: Sendable, Equatable {
  /// Identifies the run.
  public var id: UniqueID
  /// Nanoseconds since 1970.
  public var start: Int64
  /// The program and its version, such as `Shop 3.2.1`.
  public var app: String
  /// The operating system and its version.
  public var os: String
  /// The machine.
  public var device: String

  /// Describes a run.
  public init(id: UniqueID, start: Int64, app: String = "", os: String = "", device: String = "") {
    self.id = id
    self.start = start
    self.app = app
    self.os = os
    self.device = device
  }
}

extension SessionInfo {
  /// Whether this description of a run counts, and not `other`.
  ///
  /// A run is described in every segment that has records of it, and not always equally: an import knows only when its
  /// first record was, and a run that is continued describes itself again. So that an answer does not depend on
  /// how records are spread over segments, what says something of the program or the machine counts before what does
  /// not, then the earlier start, for a run begins once; and then any order will do.
  package func counts(before other: SessionInfo) -> Bool {
    rank < other.rank
  }

  private var rank: (Int, Int64, String, String, String) {
    (app.isEmpty && os.isEmpty && device.isEmpty ? 1 : 0, start, app, os, device)
  }
}

extension [SessionInfo] {
  /// Adds a description; of several of the same run, the one stays that counts.
  package mutating func describe(_ session: SessionInfo) {
    guard let index = firstIndex(where: { $0.id == session.id }) else { return append(session) }
    if session.counts(before: self[index]) { self[index] = session }
  }
}

extension [UniqueID: SessionInfo] {
  /// The description of each run that counts.
  package init(describing sessions: some Sequence<SessionInfo>) {
    self.init(sessions.lazy.map { ($0.id, $0) }) { $1.counts(before: $0) ? $1 : $0 }
  }
}
