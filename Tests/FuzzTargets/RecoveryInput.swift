internal import JournalKit
internal import TestSupport

/// A journal's directory, and how it is to be read, made of any bytes.
///
/// Byte 0 has the options and byte 1 the sequence to read after. Then come the files: for each its number's
/// distance from the one before, two bytes with its length, and its content. A length beyond the end means the
/// rest.
struct RecoveryInput {
  static let directory = "/journal"
  /// More would only make each run slower.
  private static let fileLimit = 8

  let isOtherBoot: Bool
  let isClosedOnly: Bool
  let after: UInt64
  private(set) var files: [(path: String, content: [UInt8])] = []

  init(_ input: [UInt8]) {
    var bytes = input[...]
    let options = bytes.popFirst() ?? 0
    isOtherBoot = options & 1 != 0
    isClosedOnly = options & 4 != 0
    after = UInt64(bytes.popFirst() ?? 0)
    var number: UInt64 = 0
    while let step = bytes.popFirst(), files.count < Self.fileLimit {
      number += UInt64(step) + 1
      let length = Int(bytes.popFirst() ?? 255) | Int(bytes.popFirst() ?? 255) << 8
      var content = Array(bytes.prefix(length))
      bytes = bytes.dropFirst(length)
      // No search finds checksums: half of the inputs get right ones.
      if options & 2 != 0 { Self.mend(&content) }
      let name = JournalFormat.fileName(ofSegment: number)
      files.append((FilePath.join(Self.directory, name), content))
    }
  }

  /// A disk that holds the files.
  func disk() -> SimulatedDisk {
    let disk = SimulatedDisk()
    for (path, content) in files { disk.setContent(of: path, to: content) }
    if isOtherBoot { disk.crash() }
    return disk
  }

  /// Gives the header, and whatever may be a frame, the checksum that it needs.
  private static func mend(_ content: inout [UInt8]) {
    let header = JournalSegmentHeader.length
    for start in [0, header] where content.count >= start + header {
      let end = start + header - 4
      store(CRC32C.checksum(content.rawSpan.extracting(start..<end)), at: end, in: &content)
    }
    var offset = Int(JournalSegmentHeader.framesStart)
    var ordinal: UInt32 = 0
    while offset + JournalFormat.frameOverhead <= content.count {
      let salt = content.rawSpan.littleEndian(UInt64.self, at: 72)
      let raw = content.rawSpan.littleEndian(UInt32.self, at: offset)
      guard let word = JournalFrameWord(rawValue: raw),
        offset + JournalFormat.frameLength(payload: word.length) <= content.count
      else {
        // As if there had been an entry, or not.
        ordinal += UInt32(content[offset] & 1)
        offset += JournalFormat.alignment
        continue
      }
      let start = offset + JournalFormat.frameOverhead
      var payload = CRC32C()
      payload.update(content.rawSpan.extracting(start..<start + word.length))
      let checksum = JournalFormat.checksum(
        payload: payload, salt: salt, offset: Int64(offset), word: raw, ordinal: ordinal)
      store(checksum, at: offset + 4, in: &content)
      if word.kind == .entry { ordinal += 1 }
      offset += JournalFormat.frameLength(payload: word.length)
    }
  }

  private static func store(_ value: UInt32, at offset: Int, in content: inout [UInt8]) {
    for byte in 0..<4 { content[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }
}
