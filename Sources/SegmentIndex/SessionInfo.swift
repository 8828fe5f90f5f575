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

/// One description of each run: of several, the one that counts.
package struct SessionDescriptions: Sendable, Equatable {
  /// In the order in which the runs were first described.
  package private(set) var all: [SessionInfo] = []
  private var places: [UniqueID: Int] = [:]

  /// These descriptions.
  package init(_ sessions: some Sequence<SessionInfo> = []) {
    for session in sessions { add(session) }
  }

  /// How many runs are described.
  package var count: Int { all.count }

  /// Takes in a description.
  package mutating func add(_ session: SessionInfo) {
    let place = places[session.id, default: all.count]
    if place == all.count {
      places[session.id] = place
      all.append(session)
    } else if session.counts(before: all[place]) {
      all[place] = session
    }
  }

  /// The description of a run.
  package subscript(id: UniqueID) -> SessionInfo? {
    places[id].map { all[$0] }
  }
}
