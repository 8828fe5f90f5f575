package import JournalKit

/// The distinct terms of a column, ascending, each written as what it adds to the one before. The bytes:
///
///     where each sixteenth entry begins, counted from the first entry, as PackedIntegers
///     for each term: varint shared, varint added, and the added bytes
///
/// `shared` is how many first bytes a term has in common with the one before; 0 in each sixteenth entry,
/// so that reading can begin there.
package struct TermDictionary: ~Escapable {
  package static let restartInterval = 16

  package let count: Int
  private let restarts: PackedIntegers
  private let entries: RawSpan

  /// Reads a dictionary of `count` terms; nil when the bytes are not one.
  @_lifetime(copy bytes)
  package init?(_ bytes: RawSpan, count: Int) {
    var reader = ByteReader(bytes)
    // An entry takes two bytes at least, so a hostile count is found out before anything is allocated.
    guard count >= 0, count <= bytes.byteCount / 2,
      let restarts = PackedIntegers(
        &reader, count: (count + Self.restartInterval - 1) / Self.restartInterval),
      let entries = reader.span(reader.remaining)
    else { return nil }
    self.count = count
    self.restarts = restarts
    self.entries = entries
  }

  /// The term at `index`, which must be in range; nil when its bytes are not one.
  package func term(at index: Int) -> Term? {
    guard let bytes = encodedTerm(at: index) else { return nil }
    return Term(encoded: bytes.rawSpan)
  }

  /// All terms; nil when some bytes are not one or they do not ascend.
  package func terms() -> [Term]? {
    var terms: [Term] = []
    terms.reserveCapacity(count)
    let isRead = forEachEncodedTerm { bytes in
      guard let term = Term(encoded: bytes) else { return false }
      terms.append(term)
      return true
    }
    return isRead ? terms : nil
  }

  /// Calls `body` with the bytes of each term, ascending, until it returns false. False then, and when some bytes are
  /// no entry or terms do not ascend.
  package func forEachEncodedTerm(_ body: (RawSpan) -> Bool) -> Bool {
    var reader = ByteReader(entries)
    var bytes: [UInt8] = []
    for index in 0..<count {
      if index % Self.restartInterval == 0 {
        guard restarts[index / Self.restartInterval] == reader.offset else { return false }
      }
      guard Self.advance(&reader, to: index, &bytes, mustAscend: true), body(bytes.rawSpan)
      else { return false }
    }
    return reader.remaining == 0
  }

  /// Where a term stands; nil when the bytes met on the way are not terms.
  package enum Place: Equatable {
    case found(Int)
    case absent
  }

  /// Looks a term up by its bytes: a binary search over every sixteenth term, then at most sixteen more.
  package func place(of term: RawSpan) -> Place? {
    place(of: term, amongRestarts: 0..<restartCount)
  }

  /// Where a term stands that comes before no restart below `restarts`, and before every one above.
  func place(of term: RawSpan, amongRestarts restarts: Range<Int>) -> Place? {
    var (low, high) = (restarts.lowerBound, restarts.upperBound)
    // The last restart whose term is not after the one sought.
    while low < high {
      let middle = (low + high) / 2
      // Entries where reading can begin share nothing, so they are whole terms.
      guard let first = firstTerm(ofRestart: middle) else { return nil }
      if term.precedes(first) { high = middle } else { low = middle + 1 }
    }
    return low > 0 ? place(of: term, fromRestart: low - 1) : .absent
  }

  /// Where a term stands that does not come before that of `restart`, nor behind that of the next one.
  ///
  /// No term is put together: of the one before it is known how many first bytes it has in common with the one sought,
  /// before which it comes, and an entry that shares more with it has as many.
  func place(of term: RawSpan, fromRestart restart: Int) -> Place? {
    guard var reader = reader(atRestart: restart) else { return nil }
    let start = restart * Self.restartInterval
    var common = 0
    // The length of the term before.
    var length = 0
    for index in start..<min(start + Self.restartInterval, count) {
      guard let shared = reader.count(atMost: index == start ? 0 : length),
        let added = Self.added(&reader)
      else { return nil }
      length = shared + added.byteCount
      if shared > common { continue }
      // It leaves the term before where that still agreed with the one sought, so it comes behind both.
      if shared < common { return .absent }
      let rest = term.extracting(common..<term.byteCount)
      let more = rest.sharedPrefixCount(with: added)
      if more == rest.byteCount { return more == added.byteCount ? .found(index) : .absent }
      if more < added.byteCount, rest[more] < added[more] { return .absent }
      common += more
    }
    return .absent
  }

  /// How many entries there are at which reading can begin.
  var restartCount: Int { (count + Self.restartInterval - 1) / Self.restartInterval }

  /// The bytes of the term at which `restart` begins; nil when they are not one.
  @_lifetime(copy self)
  func firstTerm(ofRestart restart: Int) -> RawSpan? {
    guard var reader = reader(atRestart: restart), reader.count(atMost: 0) != nil else {
      return nil
    }
    return Self.added(&reader)
  }

  private func encodedTerm(at index: Int) -> [UInt8]? {
    guard var reader = reader(atRestart: index / Self.restartInterval) else { return nil }
    var bytes: [UInt8] = []
    for at in index - index % Self.restartInterval...index {
      guard Self.advance(&reader, to: at, &bytes) else { return nil }
    }
    return bytes
  }

  /// The bytes that an entry adds, of which what it shares has been read.
  @_lifetime(copy reader)
  private static func added(_ reader: inout ByteReader) -> RawSpan? {
    guard let count = reader.count(atMost: reader.remaining) else { return nil }
    return reader.span(count)
  }

  @_lifetime(copy self)
  private func reader(atRestart restart: Int) -> ByteReader? {
    let offset = restarts[restart]
    guard offset >= 0, offset <= Int64(entries.byteCount) else { return nil }
    return ByteReader(entries.extracting(Int(offset)..<entries.byteCount))
  }

  /// Reads entry `index` and makes `bytes`, those of the term before, the bytes of its term. False when
  /// the entry is not one, or its term does not come after the one before although it must.
  private static func advance(
    _ reader: inout ByteReader, to index: Int, _ bytes: inout [UInt8], mustAscend: Bool = false
  ) -> Bool {
    let limit = index % restartInterval == 0 ? 0 : bytes.count
    guard let shared = reader.count(atMost: limit), let added = added(&reader) else { return false }
    if mustAscend, index > 0 {
      guard bytes.rawSpan.extracting(shared..<bytes.count).precedes(added) else { return false }
    }
    bytes.removeLast(bytes.count - shared)
    bytes.append(added)
    return true
  }
}

extension ByteWriter {
  /// A dictionary of the entries of `terms` in this `order`, which must be ascending.
  package mutating func termDictionary(_ terms: TermInterner, order: [UInt32]) {
    var restarts: [Int64] = []
    var entries = ByteWriter()
    for (index, entry) in order.enumerated() {
      let term = terms[entry]
      var shared = 0
      if index % TermDictionary.restartInterval == 0 {
        restarts.append(Int64(entries.count))
      } else {
        shared = term.sharedPrefixCount(with: terms[order[index - 1]])
      }
      entries.varint(UInt64(shared))
      entries.varint(UInt64(term.byteCount - shared))
      entries.append(term.extracting(shared..<term.byteCount))
    }
    packedIntegers(restarts)
    bytes.append(contentsOf: entries.bytes)
  }
}
