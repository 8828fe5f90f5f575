internal import SegmentIndex

/// Finds the groups of one segment's rows.
///
/// Where every key is a field with codes, or a bin of time, a row's group is looked up by its codes, and
/// a key's values are put together once for each group. Rows are sorted by time, so each bin is a run of
/// rows, and what is known of the groups of a bin is forgotten when the next one begins.
struct SegmentGrouper {
  enum Key {
    case codes(slot: Int)
    /// A field that no row of the segment has.
    case missing
    case timeBin(slot: Int, width: Int64, TimeZoneRules)
  }

  /// nil when some key has to be computed for each row.
  let keys: [Key]?
  /// The grouping's operands, reading slots.
  private let keyOperands: [Operand]
  let arguments: [Operand?]
  private let slots: [Int]
  /// The slots of time, session and sequence, when `first` or `last` need them.
  private let position: (time: Int, session: Int, sequence: Int)?

  /// The current bin of time.
  private var bin: Range<Int64>?
  /// The groups known in it by their codes taken together.
  private var known: [UInt64: Int] = [:]
  /// The same as a plain array when the codes are few; `unknown` is not known yet.
  var dense: [Int] = []
  /// The places in `dense` that are known.
  var knownPlaces: [Int] = []
  /// How many codes each key has.
  private let sizes: [UInt64]
  /// For each key and code the number of the value in the table, once it is known; for a bin, that of the current one.
  var numbers: [[UInt32?]]

  /// For each aggregate that counts different terms which of them have been seen, group by group.
  private var seenTerms: [SeenTerms?]
  private let isDistinctOfTerms: [Bool]

  /// Whether rows are only counted, by no more than one key with codes, so few that counting by code pays, and one bin of
  /// time.
  private let countsCodes: Bool
  /// Where there are no bins, the rows of each code that have been counted and not yet added to their groups.
  var totals: [Int] = []

  /// The slot of the only key with codes, where there are no bins, when rows are counted and columns added up, and no more.
  private let summedSlot: Int?

  /// Whether there are no keys, and all that is asked for is how many different terms there are.
  private let countsOnlyTerms: Bool
  /// Codes of a granule's rows.
  private var codes: [UInt32] = []

  /// The most combinations of codes for which a plain array is kept.
  private static let denseLimit: UInt64 = 1 << 14
  static let unknown = -2
  /// Of a group for which there is no room.
  static let none = -1

  init(_ grouping: BoundQuery.Grouping, _ reader: inout GranuleReader) throws(SegmentError) {
    var slots: [Int] = []
    var keyOperands: [Operand] = []
    for key in grouping.keys {
      keyOperands.append(try key.operand.readingSlots(of: &reader, &slots))
    }
    var arguments: [Operand?] = []
    for aggregate in grouping.aggregates {
      arguments.append(try aggregate.argument?.readingSlots(of: &reader, &slots))
    }
    if grouping.aggregates.contains(where: { $0.function == .first || $0.function == .last }) {
      let fields: [Field] = [.time, .session, .sequence]
      var found: [Int] = []
      for field in fields { found.append(try reader.slot(ofEvery: field)) }
      slots += found
      position = (found[0], found[1], found[2])
    } else {
      position = nil
    }
    for slot in slots { try reader.loadTerms(slot) }
    let found = Self.keys(keyOperands, reader)
    sizes = (found ?? []).map { key in
      guard case .codes(let slot) = key else { return 1 }
      return UInt64(reader.codeCount(slot))
    }
    numbers = sizes.map { [UInt32?](repeating: nil, count: Int($0)) }
    // A number that does not hold every combination would mix groups up.
    let combinations = sizes.reduce(UInt64?(1)) { product, size in
      guard let (product, overflow) = product?.multipliedReportingOverflow(by: size) else {
        return nil
      }
      return overflow ? nil : product
    }
    keys = combinations == nil ? nil : found
    if let combinations, combinations <= Self.denseLimit {
      dense = [Int](repeating: Self.unknown, count: Int(combinations))
    }
    seenTerms = zip(grouping.aggregates, arguments).map { aggregate, argument in
      guard aggregate.function == .distinct, case .column(let slot)? = argument,
        reader.codeCount(slot) > 1
      else { return nil }
      return SeenTerms(slot: slot, codeCount: reader.codeCount(slot))
    }
    isDistinctOfTerms = seenTerms.map { $0 != nil }
    let onlyCounts = grouping.aggregates.allSatisfy { $0.function == .count && $0.argument == nil }
    var slotsOfCodes: [Int] = []
    for case .codes(let slot) in found ?? [] { slotsOfCodes.append(slot) }
    countsCodes =
      onlyCounts && found?.isEmpty == false && slotsOfCodes.count <= 1
      && sizes.allSatisfy { $0 <= Segment.granuleRowCount }
    if countsCodes { totals = [Int](repeating: 0, count: dense.count) }
    let addsUp = zip(grouping.aggregates, arguments).allSatisfy { aggregate, argument in
      guard let argument else { return aggregate.function == .count }
      if case .column = argument { return AggregateColumn.addsUp(aggregate.function) }
      return false
    }
    let hasBins = (found ?? []).contains { if case .timeBin = $0 { true } else { false } }
    let isSummed = addsUp && !hasBins && !dense.isEmpty && slotsOfCodes.count == 1
    summedSlot = isSummed ? slotsOfCodes[0] : nil
    countsOnlyTerms =
      found?.isEmpty == true && !seenTerms.isEmpty && isDistinctOfTerms.allSatisfy(\.self)
    self.keyOperands = keyOperands
    self.arguments = arguments
    self.slots = slots
  }

  private static func keys(_ operands: [Operand], _ reader: GranuleReader) -> [Key]? {
    var keys: [Key] = []
    for operand in operands {
      switch operand {
      case .column(let slot):
        switch reader.slots[slot].source {
        // A list puts a row into several groups.
        case .terms where !reader.hasLists(slot): keys.append(.codes(slot: slot))
        case .absent: keys.append(.missing)
        default: return nil
        }
      case .bin(.column(let slot), .constant(.duration(let width)), let zone):
        guard case .integers(_, .time) = reader.slots[slot].source,
          keys.allSatisfy({ if case .timeBin = $0 { false } else { true } })
        else { return nil }
        keys.append(.timeBin(slot: slot, width: width, zone))
      default: return nil
      }
    }
    return keys
  }

  // MARK: Grouping

  /// Puts rows of the reader's granule into their groups.
  mutating func group(
    _ rows: RowBits, _ reader: inout GranuleReader, into groups: inout GroupTable
  ) throws(SegmentError) {
    if let keys, countsCodes { return try count(rows, keys, &reader, into: &groups) }
    if countsOnlyTerms { return try countTerms(rows, &reader, into: &groups) }
    if let keys, let summedSlot,
      try addSums(rows, ofSlot: summedSlot, keys, &reader, into: &groups)
    {
      return
    }
    for slot in slots { try reader.load(slot, rows) }
    guard let keys else {
      for row in rows {
        reader.row = row
        let values = keyOperands.map { $0.value(in: reader) }
        groups.add(reader, key: values, arguments, at: position(reader))
      }
      return
    }
    let rows = rows.rows
    let found = self.groups(of: rows, keys, &reader, &groups)
    let position = position
    groups.add(rows, toGroups: found, &reader, arguments, skipping: isDistinctOfTerms) {
      position.map($0.position) ?? RowPosition(time: 0, sequence: 0)
    }
    for index in seenTerms.indices {
      seenTerms[index]?.add(rows, found, reader) { value, group in
        groups.add(distinct: value, toGroup: group, aggregate: index)
      }
    }
  }

  /// Notes the terms of rows of the one group that there is without keys.
  private mutating func countTerms(
    _ rows: RowBits, _ reader: inout GranuleReader, into groups: inout GroupTable
  ) throws(SegmentError) {
    for index in seenTerms.indices {
      guard let slot = seenTerms[index]?.slot else { continue }
      try reader.list(codesOf: slot, rows, into: &codes)
      seenTerms[index]?.note(codes)
    }
    groups.add(countedRows: rows.count, toGroup: nil)
  }

  /// Feeds what was only noted of the rows so far, once there are no more.
  mutating func finish(_ reader: GranuleReader, into groups: inout GroupTable) {
    if countsCodes { return addTotals(reader, into: &groups) }
    guard countsOnlyTerms else { return }
    for index in seenTerms.indices {
      seenTerms[index]?.forEachNoted(reader) { value in
        groups.add(distinct: value, toGroup: 0, aggregate: index)
      }
    }
  }

  private func position(_ reader: GranuleReader) -> RowPosition {
    position.map(reader.position) ?? RowPosition(time: 0, sequence: 0)
  }

  /// For each row its codes taken together; none when there is nothing to take together, or no code.
  private func places(of rows: [Int], _ keys: [Key], _ reader: GranuleReader) -> [UInt64] {
    if keys.count == 1, !dense.isEmpty { return [] }
    var places = [UInt64](repeating: 0, count: rows.count)
    for (index, key) in keys.enumerated() {
      guard case .codes(let slot) = key else { continue }
      let codes = reader.slots[slot].codes
      let size = sizes[index]
      let (codeSpan, rowSpan) = (codes.span, rows.span)
      var output = places.mutableSpan
      // Below the number of combinations, which fits.
      for place in rowSpan.indices {
        output[place] = output[place] &* size &+ UInt64(codeSpan[rowSpan[place]])
      }
    }
    return places
  }

  /// For each row the number of its group, or `none`.
  private mutating func groups(
    of rows: [Int], _ keys: [Key], _ reader: inout GranuleReader, _ groups: inout GroupTable
  ) -> [Int] {
    let places = places(of: rows, keys, reader)
    var codes: [UInt32] = []
    if places.isEmpty, case .codes(let slot)? = keys.first { codes = reader.slots[slot].codes }
    var found = [Int](repeating: Self.none, count: rows.count)
    var times: [Int64] = []
    var bins: (key: Int, width: Int64, zone: TimeZoneRules)?
    for (key, kind) in keys.enumerated() {
      guard case .timeBin(let slot, let width, let zone) = kind else { continue }
      times = reader.slots[slot].integers
      bins = (key, width, zone)
    }
    var index = fill(&found, 0, rows, codes, places, times)
    while index < rows.count {
      let row = rows[index]
      let place = places.isEmpty ? UInt64(codes.isEmpty ? 0 : codes[row]) : places[index]
      // The row's own bin need not hold it: nothing comes after the last of 64 bits, where a bin ends before it.
      if let bins { enterBin(of: times[row], bins.key, bins.width, bins.zone) }
      reader.row = row
      let group = self.group(of: keys, reader, &groups) ?? Self.none
      if dense.isEmpty {
        known[place] = group
      } else {
        dense[Int(place)] = group
        knownPlaces.append(Int(place))
      }
      found[index] = group
      index = fill(&found, index + 1, rows, codes, places, times)
    }
    return found
  }

  /// Fills in the groups from `start` on, up to the first row that is in another bin or of a group that is not known yet:
  /// the number of that one is returned.
  private func fill(
    _ found: inout [Int], _ start: Int, _ rows: [Int], _ codes: [UInt32], _ places: [UInt64],
    _ times: [Int64]
  ) -> Int {
    let bin = self.bin ?? 0..<0
    let (rows, places, times, dense) = (rows.span, places.span, times.span, self.dense.span)
    var output = found.mutableSpan
    var index = start
    if !codes.isEmpty {
      let codes = codes.span
      while index < rows.count {
        let group = dense[Int(codes[rows[index]])]
        if group == Self.unknown { return index }
        output[index] = group
        index += 1
      }
      return index
    }
    while index < rows.count {
      if !times.isEmpty, !bin.contains(times[rows[index]]) { return index }
      let place = places.isEmpty ? 0 : places[index]
      let group = dense.isEmpty ? known[place] ?? Self.unknown : dense[Int(place)]
      if group == Self.unknown { return index }
      output[index] = group
      index += 1
    }
    return index
  }

  /// The group of the reader's row; nil when there is no room for it.
  private mutating func group(
    of keys: [Key], _ reader: GranuleReader, _ groups: inout GroupTable
  ) -> Int? {
    var key: [UInt32] = []
    key.reserveCapacity(keys.count)
    for index in keys.indices {
      var code = 0
      if case .codes(let slot) = keys[index] { code = Int(reader.slots[slot].codes[reader.row]) }
      if let number = numbers[index][code] {
        key.append(number)
      } else {
        let value = keyOperands[index].value(in: reader)
        guard let number = groups.number(of: value, key: index) else { return nil }
        numbers[index][code] = number
        key.append(number)
      }
    }
    return groups.index(ofNumbers: key)
  }

  @inline(__always)
  mutating func enterBin(of time: Int64, _ key: Int, _ width: Int64, _ zone: TimeZoneRules) {
    if let bin, bin.contains(time) { return }
    numbers[key][0] = nil
    known.removeAll(keepingCapacity: true)
    for place in knownPlaces { dense[place] = Self.unknown }
    knownPlaces.removeAll(keepingCapacity: true)
    bin = zone.bin(of: time, width: width) ?? time..<time
  }
}
