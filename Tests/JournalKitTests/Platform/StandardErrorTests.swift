import Foundation
import JournalKit
import Testing

@Suite struct StandardErrorTests {
  @Test func whatIsWrittenArrives() throws {
    let pipe = Pipe()
    let bytes = Array("a line\n".utf8)
    #expect(StandardError.write(bytes, to: pipe.fileHandleForWriting.fileDescriptor))
    #expect(StandardError.write([], to: pipe.fileHandleForWriting.fileDescriptor))
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data(bytes))
  }

  /// A connection without a reader kills the process, unless somebody takes care. One that is shut down has none, whoever
  /// may have been started meanwhile with the other end.
  @Test func aConnectionThatNobodyReadsKillsNobody() throws {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(shutdown(ends[0], Int32(SHUT_RDWR)) == 0)
    for _ in 1...3 { #expect(!StandardError.write([1, 2, 3], to: ends[0])) }
  }

  @Test func aClosedStreamIsNoHarm() {
    #expect(!StandardError.write([1], to: -1))
  }
}
