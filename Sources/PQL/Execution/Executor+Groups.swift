internal import SegmentIndex

extension Executor {
  /// Puts every row that passes into its groups.
  mutating func group(into groups: inout GroupTable) {
    for index in segments.indices {
      guard var scan = scan(index) else { continue }
      // Damaged statistics are no loss: then the rows are counted.
      if scan.filter.passesAll, (try? countByStatistics(scan, &groups)) == true { continue }
      do throws(SegmentError) {
        var grouper = try SegmentGrouper(groups.grouping, &scan.reader)
        for granule in scan.granules where groups.hasRoom() {
          visit(granule, of: index, &scan) { rows, reader throws(SegmentError) in
            try grouper.group(rows, &reader, into: &groups)
          }
        }
      } catch {
        noteGap(segment: index, error)
      }
    }
  }

  /// Counts a whole segment without reading a row: all rows, or those of each term of one key. False when
  /// the grouping asks for more than that. Nothing is counted unless all is.
  private mutating func countByStatistics(
    _ scan: SegmentScan, _ groups: inout GroupTable
  ) throws(SegmentError) -> Bool {
    let grouping = groups.grouping
    let segment = scan.segment
    guard grouping.aggregates.allSatisfy({ $0.argument == nil }),
      grouping.keys.count <= 1, !damaged.contains(where: { segments[$0.segment] === segment })
    else { return false }
    var reader = scan.reader
    var counts: [(key: [Value?], count: Int)] = []
    if let key = grouping.keys.first {
      guard case .field(let field) = key.operand else { return false }
      let slot = try reader.slot(of: field)
      guard case .terms(let column) = reader.slots[slot].source else { return false }
      try reader.loadValues(slot)
      var rest = segment.rowCount
      for (code, value) in (reader.slots[slot].values ?? []).enumerated().dropFirst() {
        let count = try column.rowCount(ofTerm: code - 1)
        counts.append(([value], count))
        rest -= count
      }
      if rest > 0 { counts.append(([nil], rest)) }
    } else {
      counts.append(([], segment.rowCount))
    }
    for (key, count) in counts { groups.add(count: count, of: key) }
    summary.matchedCount += segment.rowCount
    return true
  }
}

/// Finds the groups of one segment's rows.
///
/// Where every key is a field with codes, or a bin of time, a row's group is looked up by its codes, and
/// a key's values are put together once for each group. Rows are sorted by time, so each bin is a run of
/// rows, and what is known of the groups of a bin is forgotten when the next one begins.
struct SegmentGrouper {
  private enum Key {
    case codes(slot: Int)
    /// A field that no row of the segment has.
    case missing
    case timeBin(slot: Int, width: Int64, TimeZoneRules)
  }

  private let grouping: BoundQuery.Grouping
  /// nil when some key has to be computed for each row.
  private let keys: [Key]?
  /// The grouping's operands, reading slots.
  private let keyOperands: [Operand]
  private let arguments: [Operand?]
  private let slots: [Int]
  private let onlyCounts: Bool
  /// The slots of time, session and sequence, when `first` or `last` need them.
  private let position: (time: Int, session: Int, sequence: Int)?

  /// The current bin of time, and the groups known in it by their codes taken together.
  private var bin: Range<Int64>?
  private var known: [UInt64: Int] = [:]
  /// The same as a plain array when the codes are few; -1 is not known yet.
  private var dense: [Int]
  /// How many codes each key has.
  private let sizes: [UInt64]

  /// The most combinations of codes for which a plain array is kept.
  private static let denseLimit: UInt64 = 1 << 14

  init(_ grouping: BoundQuery.Grouping, _ reader: inout GranuleReader) throws(SegmentError) {
    self.grouping = grouping
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
      for field in fields { found.append(try reader.slot(of: .field(field))) }
      slots += found
      position = (found[0], found[1], found[2])
    } else {
      position = nil
    }
    for slot in slots { try reader.loadValues(slot) }
    onlyCounts = arguments.allSatisfy { $0 == nil }
    let found = Self.keys(keyOperands, reader)
    sizes = (found ?? []).map { key in
      guard case .codes(let slot) = key else { return 1 }
      return UInt64(max(reader.slots[slot].values?.count ?? 1, 1))
    }
    // A number that does not hold every combination would mix groups up.
    let combinations = sizes.reduce(UInt64?(1)) { product, size in
      guard let (product, overflow) = product?.multipliedReportingOverflow(by: size) else {
        return nil
      }
      return overflow ? nil : product
    }
    keys = combinations == nil ? nil : found
    let isDense = combinations.map { $0 <= Self.denseLimit } ?? false
    dense = isDense ? [Int](repeating: -1, count: Int(combinations ?? 0)) : []
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
        case .terms where !(reader.slots[slot].values ?? []).contains(where: \.isList):
          keys.append(.codes(slot: slot))
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
    for slot in slots { try reader.load(slot) }
    guard let keys else {
      for row in rows {
        reader.row = row
        add(reader, &groups)
      }
      return
    }
    groups.noteRows(rows.count)
    for row in rows {
      reader.row = row
      guard let group = group(of: keys, reader, &groups) else { continue }
      if onlyCounts {
        groups.add(count: 1, toGroup: group)
      } else {
        groups.add(reader, arguments, toGroup: group, at: position(reader))
      }
    }
  }

  /// The general way: every key is computed.
  private func add(_ reader: GranuleReader, _ groups: inout GroupTable) {
    let values = keyOperands.map { $0.value(in: reader) }
    groups.add(reader, key: values, arguments, at: position(reader))
  }

  private func position(_ reader: GranuleReader) -> RowPosition {
    guard let position, case .uuid(let session)? = reader.column(position.session)
    else { return RowPosition(time: 0, sequence: 0) }
    return RowPosition(
      time: reader.slots[position.time].integers[reader.row], session: session.bits,
      sequence: UInt64(bitPattern: reader.slots[position.sequence].integers[reader.row]))
  }

  /// The number of the row's group; nil when there is no room for it.
  private mutating func group(
    of keys: [Key], _ reader: GranuleReader, _ groups: inout GroupTable
  ) -> Int? {
    var place: UInt64 = 0
    for index in keys.indices {
      switch keys[index] {
      case .codes(let slot):
        // Below the number of combinations, which fits.
        place = place &* sizes[index] &+ UInt64(reader.slots[slot].codes[reader.row])
      case .missing: break
      case .timeBin(let slot, let width, let zone):
        enterBin(of: reader.slots[slot].integers[reader.row], width, zone)
      }
    }
    if dense.isEmpty {
      if let group = known[place] { return group }
    } else if dense[Int(place)] >= 0 {
      return dense[Int(place)]
    }
    guard let group = groups.index(of: keyOperands.map { $0.value(in: reader) }) else { return nil }
    if dense.isEmpty { known[place] = group } else { dense[Int(place)] = group }
    return group
  }

  private mutating func enterBin(of time: Int64, _ width: Int64, _ zone: TimeZoneRules) {
    if let bin, bin.contains(time) { return }
    known.removeAll(keepingCapacity: true)
    for index in dense.indices { dense[index] = -1 }
    bin = zone.bin(of: time, width: width) ?? time..<time
  }
}

extension Value? {
  fileprivate var isList: Bool {
    if case .list? = self { true } else { false }
  }
}
