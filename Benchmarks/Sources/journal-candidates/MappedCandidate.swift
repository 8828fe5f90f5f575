import AppendHarness

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Files of 16 MiB, allocated, mapped, and filled from front to back. Nothing is prepared.
enum MappedCandidate: Candidate {
  static let names = ["mapped, plain"]
  static let segmentLength = 16 << 20

  static func open(_ name: String, directory: String) throws -> any Appender {
    MappedAppender(directory)
  }

  static func recover(
    _ name: String, directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    var number = 0
    while access(path(directory, number), F_OK) == 0 {
      PlainFrame.read(path(directory, number), body)
      number += 1
    }
    return 0
  }

  static func path(_ directory: String, _ number: Int) -> String { "\(directory)/\(number).seg" }
}

private final class MappedAppender: Appender {
  /// `@unchecked` because of the pointer, which is only used with the lock held.
  private struct Segment: @unchecked Sendable {
    var base: UnsafeMutableRawPointer
    var number = 0
    var end = 0
  }

  private let directory: String
  private let segment: Lock<Segment>

  init(_ directory: String) {
    self.directory = directory
    segment = Lock(Segment(base: Self.map(directory, 0)))
  }

  private static func map(_ directory: String, _ number: Int) -> UnsafeMutableRawPointer {
    let path = MappedCandidate.path(directory, number)
    let length = MappedCandidate.segmentLength
    let file = openFile(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0, posix_fallocate(file, 0, length) == 0,
      let base = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      base != MAP_FAILED
    else { fatalError("cannot map \(path)") }
    closeFile(file)
    return base
  }

  func append(_ payload: [UInt8]) {
    segment.withLock { segment in
      if segment.end + PlainFrame.length > MappedCandidate.segmentLength {
        munmap(segment.base, MappedCandidate.segmentLength)
        segment.number += 1
        segment.end = 0
        segment.base = Self.map(directory, segment.number)
      }
      PlainFrame.fill(
        UnsafeMutableRawBufferPointer(start: segment.base + segment.end, count: PlainFrame.length),
        payload)
      segment.end += PlainFrame.length
    }
  }

  func close() {}
}
