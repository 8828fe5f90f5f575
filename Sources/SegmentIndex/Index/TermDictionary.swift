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
    var reader = ByteReader(entries)
    var previous: [UInt8] = []
    var current: [UInt8] = []
    for index in 0..<count {
      if index % Self.restartInterval == 0, restarts[index / Self.restartInterval] != reader.offset
      {
        return nil
      }
      guard Self.next(&reader, index, previous, into: &current),
        index == 0 || previous.rawSpan.precedes(current.rawSpan),
        let term = Term(encoded: current.rawSpan)
      else { return nil }
      terms.append(term)
      swap(&previous, &current)
    }
    return reader.remaining == 0 ? terms : nil
  }

  /// Where a term stands; nil when the bytes met on the way are not terms.
  package enum Place: Equatable {
    case found(Int)
    case absent
  }

  /// Looks a term up by its bytes: a binary search over every sixteenth term, then at most sixteen more.
  package func place(of term: RawSpan) -> Place? {
    var low = 0
    var high = (count + Self.restartInterval - 1) / Self.restartInterval
    // The last restart whose term is not after the one sought.
    while low < high {
      let middle = (low + high) / 2
      guard let bytes = encodedTerm(at: middle * Self.restartInterval) else { return nil }
      if term.precedes(bytes.rawSpan) { high = middle } else { low = middle + 1 }
    }
    guard low > 0 else { return .absent }
    let start = (low - 1) * Self.restartInterval
    guard var reader = reader(atRestart: low - 1) else { return nil }
    var previous: [UInt8] = []
    var current: [UInt8] = []
    for index in start..<min(start + Self.restartInterval, count) {
      guard Self.next(&reader, index, previous, into: &current) else { return nil }
      if term.equals(current.rawSpan) { return .found(index) }
      swap(&previous, &current)
    }
    return .absent
  }

  private func encodedTerm(at index: Int) -> [UInt8]? {
    guard var reader = reader(atRestart: index / Self.restartInterval) else { return nil }
    var previous: [UInt8] = []
    var current: [UInt8] = []
    for at in index - index % Self.restartInterval...index {
      swap(&previous, &current)
      guard Self.next(&reader, at, previous, into: &current) else { return nil }
    }
    return current
  }

  @_lifetime(copy self)
  private func reader(atRestart restart: Int) -> ByteReader? {
    let offset = restarts[restart]
    guard offset >= 0, offset <= Int64(entries.byteCount) else { return nil }
    return ByteReader(entries.extracting(Int(offset)..<entries.byteCount))
  }

  /// Reads entry `index`, which follows `previous`.
  private static func next(
    _ reader: inout ByteReader, _ index: Int, _ previous: [UInt8], into term: inout [UInt8]
  ) -> Bool {
    let limit = index % restartInterval == 0 ? 0 : previous.count
    guard let shared = reader.count(atMost: limit),
      let addedCount = reader.count(atMost: reader.remaining),
      let added = reader.span(addedCount)
    else { return false }
    term.removeAll(keepingCapacity: true)
    term.append(previous.rawSpan.extracting(0..<shared))
    term.append(added)
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
