internal import JournalKit
public import PQL

/// Why a time zone's file cannot be used.
public enum ZoneFileError: Error, Sendable, Equatable {
  /// The bytes are not a zone file (RFC 8536), or end too soon.
  case malformed
  /// The file counts leap seconds, which times here do not have.
  case hasLeapSeconds
}

extension TimeZoneRules {
  /// Reads a zone's file, as `/usr/share/zoneinfo` has them (RFC 8536, versions 1 to 4).
  ///
  /// The rule that such a file ends with, for all later years, is written out up to the last year that a
  /// time can have, which adds two changes for each year.
  ///
  /// - Throws: `ZoneFileError`. Takes time and memory in proportion to the file.
  public init(zoneFile bytes: [UInt8]) throws(ZoneFileError) {
    let bytes = bytes.rawSpan
    var reader = ByteReader(bytes)
    guard let header = ZoneFileHeader(&reader) else { throw .malformed }
    guard header.version > 0 else {
      self = try Self.rules(header, &reader, timeSize: 4)
      return
    }
    // Of a newer file the first block is for old readers.
    guard reader.span(header.blockSize(timeSize: 4)) != nil, let header = ZoneFileHeader(&reader)
    else { throw .malformed }
    let rules = try Self.rules(header, &reader, timeSize: 8)
    let footer = try Self.footer(&reader)
    self = footer.map(rules.extended) ?? rules
  }

  private static func rules(
    _ header: ZoneFileHeader, _ reader: inout ByteReader, timeSize: Int
  ) throws(ZoneFileError) -> TimeZoneRules {
    guard header.leapCount == 0 else { throw .hasLeapSeconds }
    guard header.typeCount > 0, header.blockSize(timeSize: timeSize) <= reader.remaining
    else { throw .malformed }
    var seconds: [Int64] = []
    for _ in 0..<header.timeCount {
      let second =
        timeSize == 8
        ? reader.integer(Int64.self)?.byteSwapped
        : reader.integer(Int32.self).map { Int64($0.byteSwapped) }
      guard let second else { throw .malformed }
      seconds.append(second)
    }
    var types: [Int] = []
    for _ in 0..<header.timeCount {
      guard let type = reader.byte(), Int(type) < header.typeCount else { throw .malformed }
      types.append(Int(type))
    }
    var offsets: [Int32] = []
    for _ in 0..<header.typeCount {
      guard let offset = reader.integer(Int32.self), reader.span(2) != nil
      else { throw .malformed }
      offsets.append(offset.byteSwapped)
    }
    guard reader.span(header.sizeAfterTypes(timeSize: timeSize)) != nil else { throw .malformed }
    return TimeZoneRules(
      initialOffset: offsets[0],
      transitions: zip(seconds, types).map { Transition(second: $0, offset: offsets[$1]) })
  }

  /// The rule for later years, between two line feeds; nil when there is none.
  private static func footer(_ reader: inout ByteReader) throws(ZoneFileError) -> ZoneRule? {
    guard reader.byte() == UInt8(ascii: "\n") else { throw .malformed }
    var text: [UInt8] = []
    while let byte = reader.byte() {
      guard byte != UInt8(ascii: "\n") else {
        guard !text.isEmpty else { return nil }
        guard let rule = ZoneRule(text) else { throw .malformed }
        return rule
      }
      text.append(byte)
    }
    throw .malformed
  }

  /// These rules with what `rule` says of the time after their last change.
  private func extended(by rule: ZoneRule) -> TimeZoneRules {
    let last = transitions.last?.second
    guard rule.daylight != nil else {
      return last == nil ? TimeZoneRules(initialOffset: rule.offset) : self
    }
    // 2262 is the last year that 64 bits of nanoseconds reach, 1678 the first.
    let lastYear = last.map { CivilDate(dayNumber: $0 / 86_400).year } ?? 1_678
    let years = min(max(lastYear, 1_678), 2_262)...2_262
    let later = years.flatMap(rule.transitions).filter { last == nil || $0.second > last ?? 0 }
    return TimeZoneRules(initialOffset: initialOffset, transitions: transitions + later)
  }
}

/// The counts at the front of a block of a zone file.
private struct ZoneFileHeader {
  /// 0 for the first version.
  let version: UInt8
  let isUTCount: Int
  let isStandardCount: Int
  let leapCount: Int
  let timeCount: Int
  let typeCount: Int
  let nameByteCount: Int

  /// The largest count that is believed; real files have a few hundred.
  private static let countLimit = 1 << 16

  init?(_ reader: inout ByteReader) {
    guard reader.string(4) == "TZif", let version = reader.byte(), reader.span(15) != nil
    else { return nil }
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = reader.integer(UInt32.self)?.byteSwapped, count <= Self.countLimit
      else { return nil }
      counts.append(Int(count))
    }
    self.version = version
    (isUTCount, isStandardCount, leapCount) = (counts[0], counts[1], counts[2])
    (timeCount, typeCount, nameByteCount) = (counts[3], counts[4], counts[5])
  }

  /// Bytes of the block behind the header, whose times have `timeSize` bytes.
  func blockSize(timeSize: Int) -> Int {
    timeCount * (timeSize + 1) + typeCount * 6 + sizeAfterTypes(timeSize: timeSize)
  }

  func sizeAfterTypes(timeSize: Int) -> Int {
    nameByteCount + leapCount * (timeSize + 4) + isStandardCount + isUTCount
  }
}
