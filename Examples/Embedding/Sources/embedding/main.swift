// An app that embeds Periscope, as an outsider would write it.
//
//   embedding STORE                 logs a little, and shows what the store holds
//   embedding STORE --crash         logs a little, then kills itself without warning
//   embedding --crash-and-recover   does both, one after the other, in a temporary store

import Foundation
import PeriscopeCore

struct PhotoImported: LogEvent {
  static let eventName = "photo.imported"
  var album: String
  var count: Int
  var message: String { "imported \(count) photos into \(album)" }
}

extension LogTagKey {
  static let user = LogTagKey("user")
}

func logALittle(_ store: PeriscopeStore) {
  let app = store.log("App")
  app.info("started")
  let photos = app("Photos").tagged(.user, 42)
  photos.retyped(to: PhotoImported.self)(PhotoImported(album: "Lisbon", count: 31))
  photos(for: "album-7").warning("no space for thumbnails")
  (photos(for: "album-7") + app("Thumbnails")).info("made smaller ones instead")
}

func show(_ store: PeriscopeStore, _ text: String) throws {
  print("> \(text)")
  for row in try store.query(text).ndjson { print(row) }
}

func open(_ directory: String) throws -> PeriscopeStore {
  try PeriscopeStore.make(
    storage: .directory(directory), session: .current(app: "Embedding 1.0"))
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--crash-and-recover" {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("embedding-\(ProcessInfo.processInfo.processIdentifier)").path
  defer { try? FileManager.default.removeItem(atPath: directory) }

  let child = Process()
  child.executableURL = Bundle.main.executableURL
  child.arguments = [directory, "--crash"]
  try child.run()
  child.waitUntilExit()
  precondition(child.terminationReason == .uncaughtSignal)

  let store = try open(directory)
  let result = try store.query("under App/Photos")
  precondition(result.rowCount == 3, "what was logged before the crash is missing")
  try show(store, "under App/Photos")
  let photos = try result.records.compactMap { try $0.decode(PhotoImported.self) }
  precondition(photos.map(\.count) == [31], "the event does not come back as it was")
  store.close()
} else if let directory = arguments.first {
  let store = try open(directory)
  logALittle(store)
  if arguments.contains("--crash") { kill(getpid(), SIGKILL) }
  try show(store, "level >= info | count by level")
  store.close()
} else {
  print("usage: embedding STORE [--crash] | --crash-and-recover")
}
