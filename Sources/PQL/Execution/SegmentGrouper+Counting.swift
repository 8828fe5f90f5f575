internal import SegmentIndex

// Groupings that only count: rows are counted by code within each bin, so that a code is made a group, and not each row.

extension SegmentGrouper {
  /// Rows that follow one another in a granule, all in the same bin of time, if there are bins.
  private struct Run {
    let rows: Range<Int>
    /// Of the first of them; 0 without bins.
    let time: Int64
  }

  /// Counts rows of the reader's granule.
  mutating func count(
    _ rows: RowBits, _ keys: [Key], _ reader: inout GranuleReader, into groups: inout GroupTable
  ) throws(SegmentError) {
    let rowCount = reader.segment.rows(ofGranule: reader.granule).count
    var runs = [Run(rows: 0..<rowCount, time: 0)]
    var coded: Int?
    var bins: Bins?
    for (index, key) in keys.enumerated() {
      switch key {
      case .codes(let slot): coded = slot
      case .missing: break
      case .timeBin(let slot, let width, let zone):
        runs = try Self.runs(of: slot, width, zone, rows, &reader)
        bins = Bins(key: index, width: width, zone: zone)
      }
    }
    if let coded, let counts = try reader.counts(ofCodes: coded, rows, in: runs.map(\.rows)) {
      if bins == nil {
        for code in totals.indices { totals[code] += counts[code] }
      } else {
        add(counts, of: runs, bins, keys, reader, &groups)
      }
      return
    }
    var codes: [UInt32] = []
    if let coded {
      try reader.load(coded, rows)
      codes = reader.slots[coded].codes
    }
    var counts = [Int](repeating: 0, count: dense.count)
    var counted: [Int] = []
    for run in runs {
      rows.count(in: run.rows, by: codes, &counts, &counted)
      guard !counted.isEmpty else { continue }
      if let bins { enterBin(of: run.time, bins.key, bins.width, bins.zone) }
      for code in counted {
        add(counts[code], ofCode: code, run.time, keys, reader, &groups)
        counts[code] = 0
      }
      counted.removeAll(keepingCapacity: true)
    }
  }

  /// The key that is a bin of time.
  private struct Bins {
    let key: Int
    let width: Int64
    let zone: TimeZoneRules
  }

  /// Adds rows that have been counted, run by run and in each by code.
  private mutating func add(
    _ counts: [Int], of runs: [Run], _ bins: Bins?, _ keys: [Key], _ reader: GranuleReader,
    _ groups: inout GroupTable
  ) {
    for (number, run) in runs.enumerated() {
      let counts = counts[number * dense.count..<(number + 1) * dense.count]
      guard counts.contains(where: { $0 > 0 }) else { continue }
      if let bins { enterBin(of: run.time, bins.key, bins.width, bins.zone) }
      for (code, count) in counts.enumerated() where count > 0 {
        add(count, ofCode: code, run.time, keys, reader, &groups)
      }
    }
  }

  /// Adds rows of one code, in the bin of a time.
  private mutating func add(
    _ count: Int, ofCode code: Int, _ time: Int64, _ keys: [Key], _ reader: GranuleReader,
    _ groups: inout GroupTable
  ) {
    groups.add(
      countedRows: count, toGroup: knownGroup(ofCode: code, time, keys, reader, &groups))
  }

  /// The group of rows that have this code, found once; nil when there is no room for it.
  mutating func knownGroup(
    ofCode code: Int, _ time: Int64, _ keys: [Key], _ reader: GranuleReader,
    _ groups: inout GroupTable
  ) -> Int? {
    if dense[code] == Self.unknown {
      dense[code] = group(ofCode: code, time, keys, reader, &groups) ?? Self.none
      knownPlaces.append(code)
    }
    return dense[code] == Self.none ? nil : dense[code]
  }

  /// Adds the rows that were only counted so far.
  mutating func addTotals(_ reader: GranuleReader, into groups: inout GroupTable) {
    guard let keys else { return }
    add(totals, of: [Run(rows: 0..<0, time: 0)], nil, keys, reader, &groups)
    for code in totals.indices { totals[code] = 0 }
  }

  /// The runs of a granule's rows by bin, as far as there are `rows` in them. Rows are in the order of time, so where many
  /// are wanted only the times at which bins end are sought.
  private static func runs(
    of slot: Int, _ width: Int64, _ zone: TimeZoneRules, _ rows: RowBits,
    _ reader: inout GranuleReader
  ) throws(SegmentError) -> [Run] {
    // Where a bin does not hold the time that it is of, the time stands alone.
    func end(_ time: Int64) -> Int64 {
      guard let bin = zone.bin(of: time, width: width), bin.contains(time) else { return time }
      return bin.upperBound
    }
    let rowCount = reader.segment.rows(ofGranule: reader.granule).count
    var starts: [(row: Int, value: Int64)] = []
    if rows.count > rowCount / 8, case .integers(let column, _) = reader.slots[slot].source,
      let found = try column.runs(granule: reader.granule, endingAt: end)
    {
      reader.noteRead(slot)
      starts = found
    } else {
      try reader.load(slot, rows)
      let times = reader.slots[slot].integers
      var next: Int64?
      for row in rows {
        let time = times[row]
        if let next, time < next { continue }
        starts.append((row, time))
        next = end(time)
      }
    }
    return starts.indices.map { index in
      let limit = index + 1 < starts.count ? starts[index + 1].row : rowCount
      return Run(rows: starts[index].row..<limit, time: starts[index].value)
    }
  }

  /// The group of rows that have this code, in the bin of a time; nil when there is no room for it.
  private mutating func group(
    ofCode code: Int, _ time: Int64, _ keys: [Key], _ reader: GranuleReader,
    _ groups: inout GroupTable
  ) -> Int? {
    var key: [UInt32] = []
    for index in keys.indices {
      let value: Value?
      var place = 0
      switch keys[index] {
      case .codes(let slot):
        value = reader.value(slot, code: code)
        place = code
      case .missing: value = nil
      case .timeBin(_, let width, let zone): value = binned(.time(time), .duration(width), zone)
      }
      guard let number = numbers[index][place] ?? groups.number(of: value, key: index)
      else { return nil }
      numbers[index][place] = number
      key.append(number)
    }
    return groups.index(ofNumbers: key)
  }
}

extension RowBits {
  /// Counts those of the rows that are in `range` by their codes, all as 0 when there are none, and adds codes of which
  /// there were no rows before to `counted`.
  fileprivate func count(
    in range: Range<Int>, by codes: [UInt32], _ counts: inout [Int], _ counted: inout [Int]
  ) {
    guard !range.isEmpty else { return }
    let codes = codes.span
    var output = counts.mutableSpan
    for index in range.lowerBound / 64...(range.upperBound - 1) / 64 {
      let first = index &* 64
      var rest = words[index]
      if first < range.lowerBound { rest &= .max << UInt64(range.lowerBound &- first) }
      if range.upperBound - first < 64 { rest &= 1 << UInt64(range.upperBound &- first) &- 1 }
      if codes.isEmpty {
        guard rest != 0 else { continue }
        if output[0] == 0 { counted.append(0) }
        output[0] &+= rest.nonzeroBitCount
        continue
      }
      while rest != 0 {
        let code = Int(codes[first &+ rest.trailingZeroBitCount])
        rest &= rest &- 1
        if output[code] == 0 { counted.append(code) }
        output[code] &+= 1
      }
    }
  }
}
