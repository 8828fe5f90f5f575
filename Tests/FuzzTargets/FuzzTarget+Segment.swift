import JournalKit
import SegmentIndex
import TestSupport

extension FuzzTarget {
  /// A segment in which bytes were changed and all checksums made to fit again is refused, or read without a trap, a
  /// hang, or memory out of proportion; and what verifies can be read.
  ///
  /// The input is the number of a healthy segment, then changes of four bytes: block, offset (two), value. It
  /// is read as a file, too.
  @Sendable static func segment(_ input: [UInt8]) throws {
    guard let first = input.first, input.count >= 5 else { return }
    if let segment = try? Segment(bytes: input, name: "input") { try read(segment) }
    var hostile = try HostileSegment(healthySegment(Int(first)))
    var changes = input.dropFirst()
    while changes.count >= 4 {
      let change = Array(changes.prefix(4))
      changes = changes.dropFirst(4)
      hostile.change(Int(change[1]) | Int(change[2]) << 8, ofBlock: Int(change[0]), to: change[3])
    }
    guard let segment = try? Segment(bytes: hostile.bytes, name: "input") else { return }
    try read(segment)
  }

  private static func read(_ segment: Segment) throws {
    let isHealthy = segment.verify().isEmpty
    var count = 0
    do throws(SegmentError) {
      var reader = try RecordReader(segment)
      for granule in 0..<segment.granuleCount {
        count += try reader.records(in: segment.rows(ofGranule: granule)).count
      }
    } catch {
      try require(!isHealthy, "what verifies cannot be read: \(error)")
      try require((0...segment.byteCount).contains(error.offset), "no such offset: \(error)")
      return
    }
    try require(count == segment.rowCount, "\(count) of \(segment.rowCount) records")
  }

  private static func healthySegment(_ number: Int) throws -> [UInt8] {
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    let session = UniqueID(bits: 0x5e55)
    builder.add(SessionInfo(id: session, start: 5, app: "Shop 3.2.1", os: "Linux", device: "x"))
    builder.add(SegmentSource(journal: 9, firstSequence: 1, lastSequence: 40))
    for row in 0..<[1, 2, 40, 300][number % 4] {
      builder.append(record(row, in: session, pace: number % 8 < 4 ? 1_000 : 999_999_937))
    }
    return try builder.finish()
  }

  private static func record(_ row: Int, in session: UniqueID, pace: Int64) -> Record {
    var record = Record(
      id: row % 3 == 0 ? UniqueID(bits: 77) : UniqueID(session: session, sequence: UInt64(row)),
      time: Int64(row) * pace, sequence: UInt64(row), session: session,
      level: row % 5 == 0 ? .error : .info, event: "upload.\(row % 4)",
      message: "upload \(row) of album-\(row % 7) took \(row * row).5 ms")
    record.scopes = row % 2 == 0 ? ["App/Photos", "App"] : ["App/Payments/\(row % 9)"]
    if row % 2 == 1 { record.payload = Array(#"{"ms":\#(row).5,"ok":true,"id":"a\#(row)"}"#.utf8) }
    if row % 4 == 1 {
      record.tags = [LogTag("region", .string("eu")), LogTag("retry", .int(Int64(row)))]
    }
    if row % 7 == 0 {
      record.span = UniqueID(bits: UInt128(row))
      record.exit = "failure"
      record.exitReason = "offline"
      record.duration = Int64(row) * 5
    }
    record.function = "run()"
    record.file = "App/Main.swift"
    record.line = Int64(row % 30)
    if row % 11 == 0 { record.externalID = "x\(row)" }
    return record
  }
}
