internal import SegmentIndex

// Groupings by one key with codes that count rows and add up integers: these are added up by code, and no row's group is
// looked up.

extension SegmentGrouper {
  /// Adds rows of the reader's granule to the groups of codes of `keySlot`; false, and nothing is added, when they have to be
  /// looked at one by one.
  mutating func addSums(
    _ rows: RowBits, ofSlot keySlot: Int, _ keys: [Key], _ reader: inout GranuleReader,
    into groups: inout GroupTable
  ) throws(SegmentError) -> Bool {
    var sums: [Sums?] = []
    var counts: [Int]?
    for argument in arguments {
      guard case .column(let slot)? = argument else {
        sums.append(nil)
        continue
      }
      guard let found = try Self.sums(rows, ofSlot: keySlot, slot, &reader) else { return false }
      if reader.slots[slot].presence == nil { counts = found.codes.counts }
      sums.append(found)
    }
    if counts == nil {
      let all = 0..<reader.segment.rows(ofGranule: reader.granule).count
      counts = try reader.counts(ofCodes: keySlot, rows, in: [all])
    }
    guard let counts else { return false }
    groups.add(countOfRows: rows.count)
    for (code, count) in counts.enumerated() where count > 0 {
      guard let group = knownGroup(ofCode: code, 0, keys, reader, &groups) else { continue }
      for (aggregate, sums) in sums.enumerated() {
        guard let sums else {
          groups.add(count: count, toGroup: group, aggregate: aggregate)
          continue
        }
        groups.add(
          sums.codes.totals[code], of: sums.codes.counts[code], sums.kind, toGroup: group,
          aggregate: aggregate)
      }
    }
    return true
  }

  /// An argument of the granule's rows, by code.
  private struct Sums {
    let codes: CodeSums
    let kind: GranuleReader.IntegerKind
  }

  private static func sums(
    _ rows: RowBits, ofSlot keySlot: Int, _ slot: Int, _ reader: inout GranuleReader
  ) throws(SegmentError) -> Sums? {
    try reader.load(slot, rows)
    guard let kind = reader.integerKind(slot) else { return nil }
    var rows = rows
    rows.formIntersection(reader.slots[slot].presence)
    // Whatever the rows add up to, 64 bits hold it.
    guard reader.slots[slot].integers.areSmall else { return nil }
    return try reader.sums(of: slot, byCodesOf: keySlot, rows).map { Sums(codes: $0, kind: kind) }
  }
}
