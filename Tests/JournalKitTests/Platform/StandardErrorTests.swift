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

  /// A pipe without a reader kills the process, unless somebody takes care.
  @Test func aPipeThatNobodyReadsKillsNobody() throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let file = pipe.fileHandleForWriting.fileDescriptor
    for _ in 1...3 { #expect(!StandardError.write([1, 2, 3], to: file)) }
  }

  @Test func aClosedStreamIsNoHarm() {
    #expect(!StandardError.write([1], to: -1))
  }
}
