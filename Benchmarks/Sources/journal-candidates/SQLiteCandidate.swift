import AppendHarness
import CSQLite

/// A table of SQLite's in write-ahead mode, with one connection.
enum SQLiteCandidate: Candidate {
  /// `NORMAL` syncs when the log is moved into the table, `FULL` at each commit. `batched` commits once for a hundred
  /// entries, which count as recorded before: that is the trade.
  static let names = ["sqlite NORMAL", "sqlite FULL", "sqlite NORMAL, batched"]

  static func open(_ name: String, directory: String) throws -> any Appender {
    SQLiteAppender(path(directory), name)
  }

  static func recover(
    _ name: String, directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    let database = Database(path(directory), isFull: false)
    let select = database.prepare("SELECT payload FROM log")
    while sqlite3_step(select) == SQLITE_ROW {
      body(
        UnsafeRawBufferPointer(
          start: sqlite3_column_blob(select, 0), count: Int(sqlite3_column_bytes(select, 0))))
    }
    sqlite3_finalize(select)
    database.close()
    return 0
  }

  private static func path(_ directory: String) -> String { directory + "/log.db" }
}

/// An open database with the table.
///
/// `@unchecked` because of the pointer, which is only used by one thread at a time.
private struct Database: @unchecked Sendable {
  let handle: OpaquePointer

  init(_ path: String, isFull: Bool) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      fatalError("cannot open \(path)")
    }
    self.handle = handle
    for statement in [
      "PRAGMA journal_mode=WAL", "PRAGMA synchronous=\(isFull ? "FULL" : "NORMAL")",
      "CREATE TABLE IF NOT EXISTS log"
        + "(id INTEGER PRIMARY KEY, t INTEGER, level INTEGER, payload BLOB)",
    ] {
      guard sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK else {
        fatalError(statement)
      }
    }
  }

  func prepare(_ text: String) -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK, let statement else {
      fatalError(text)
    }
    return statement
  }

  func close() { sqlite3_close_v2(handle) }
}

private final class SQLiteAppender: Appender {
  /// `@unchecked` because of the pointers, which are only used with the lock held.
  private struct Statements: @unchecked Sendable {
    let database: Database
    let insert: OpaquePointer
    let begin: OpaquePointer
    let commit: OpaquePointer
    var pending = 0

    func run(_ statement: OpaquePointer) {
      guard sqlite3_step(statement) == SQLITE_DONE else {
        fatalError(String(cString: sqlite3_errmsg(database.handle)))
      }
      sqlite3_reset(statement)
    }
  }

  private let batch: Int
  private let statements: Lock<Statements>

  init(_ path: String, _ name: String) {
    let database = Database(path, isFull: name == "sqlite FULL")
    batch = name == "sqlite NORMAL, batched" ? 100 : 1
    statements = Lock(
      Statements(
        database: database,
        insert: database.prepare("INSERT INTO log(t, level, payload) VALUES (?, ?, ?)"),
        begin: database.prepare("BEGIN"), commit: database.prepare("COMMIT")))
  }

  func append(_ payload: [UInt8]) {
    statements.withLock { statements in
      if batch > 1 && statements.pending == 0 { statements.run(statements.begin) }
      payload.withUnsafeBytes { bytes in
        sqlite3_bind_int64(statements.insert, 1, Int64(now()))
        sqlite3_bind_int(statements.insert, 2, 100 + Int32(bytes[8] % 6) * 100)
        // Without a destructor: the bytes are there until the statement has run.
        sqlite3_bind_blob(statements.insert, 3, bytes.baseAddress, Int32(bytes.count), nil)
        statements.run(statements.insert)
      }
      statements.pending += 1
      if batch > 1 && statements.pending == batch {
        statements.run(statements.commit)
        statements.pending = 0
      }
    }
  }

  func close() {
    statements.withLock { statements in
      if batch > 1 && statements.pending > 0 { statements.run(statements.commit) }
      for statement in [statements.insert, statements.begin, statements.commit] {
        sqlite3_finalize(statement)
      }
      statements.database.close()
    }
  }
}
