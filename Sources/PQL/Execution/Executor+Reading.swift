internal import SegmentIndex
internal import Synchronization

// Putting together what the answer shows of the rows that were found.

extension Executor {
  /// Whole records, in the order found; nil when some could not be read, which is noted as damage.
  mutating func records(of found: FoundRows) -> [Record]? {
    let parts = read(found, from: concurrency.rowCount) { _ in
      [Record]()
    } _: {
      segment throws(SegmentError) in
      try RecordReader(segment)
    } _: { reader, chunk, records throws(SegmentError) in
      let first = records.count
      try reader.append(chunk.rows, to: &records)
      return records[first...].reduce(0) { $0 + $1.byteCount }
    }
    guard let parts else { return nil }
    var records = parts.count == 1 ? parts[0].output : parts.flatMap(\.output)
    found.arrange(&records)
    return records
  }

  /// The operands' values, in the order found; nil when some could not be read, which is noted as damage.
  mutating func values(of found: FoundRows, _ operands: [Operand]) -> TableRows? {
    let sessions = sessions
    // A value is put together sooner than a record.
    let parts = read(found, from: concurrency.rowCount * 8) { count in
      operands.map { ValueColumn($0, capacity: count) }
    } _: { segment throws(SegmentError) in
      try ValueReader(segment, sessions, operands)
    } _: { reader, chunk, columns throws(SegmentError) in
      let before = columns.reduce(0) { $0 + $1.byteCount }
      try reader.append(chunk.rows, ofGranule: chunk.number.granule, to: &columns)
      return columns.reduce(0) { $0 + $1.byteCount } - before
    }
    guard let parts else { return nil }
    return TableRows(parts.map { ($0.output, $0.count) }, order: found.order)
  }

  /// What `read` makes of the rows of each chunk, in the order of the chunks and in one part for each thread, at least
  /// one; nil when some could not be read, which is noted as damage, and when the budget ran out.
  ///
  /// - Parameters:
  ///   - count: fewer rows are read by one thread.
  ///   - makeOutput: what `read` begins with, for so many rows.
  ///   - makeReader: makes what reads one segment.
  ///   - read: adds the rows of a chunk; returns about how many bytes they take.
  private mutating func read<Output: Sendable, Reader>(
    _ found: FoundRows, from count: Int, _ makeOutput: @Sendable (Int) -> Output,
    _ makeReader: @Sendable (Segment) throws(SegmentError) -> Reader,
    _ read: @Sendable (inout Reader, FoundRows.Chunk, inout Output) throws(SegmentError) -> Int
  ) -> [(output: Output, count: Int)]? {
    let shareCount =
      found.count < count ? 1 : max(1, min(concurrency.threadCount, found.chunks.count))
    let (segments, budget, chunks) = (segments, budget, found.chunks)
    let held = Atomic(found.count * MemoryLayout<RowPlace>.stride * 2)
    guard budget.allows(holding: held.load(ordering: .relaxed)) else { return nil }
    let shares = concurrentResults(shareCount) { share in
      let start = chunks.count * share / shareCount
      var rest = chunks[start..<chunks.count * (share + 1) / shareCount]
      let rowCount = rest.reduce(0) { $0 + $1.rows.count }
      // Room for no more than fits before the budget is asked again.
      var result = Share(output: makeOutput(min(rowCount, 1 << 16)), rowCount: rowCount)
      while let segment = rest.first?.number.segment {
        // Readers are large, so that there is one for each segment and it stays where it is.
        let run = rest.prefix { $0.number.segment == segment }
        rest = rest.dropFirst(run.count)
        do throws(SegmentError) {
          var reader = try makeReader(segments[segment])
          for chunk in run {
            guard budget.allows(holding: held.load(ordering: .relaxed)) else { return result }
            do throws(SegmentError) {
              let size = try read(&reader, chunk, &result.output)
              held.wrappingAdd(size, ordering: .relaxed)
            } catch {
              result.damaged.append(chunk.number)
            }
          }
        } catch {
          result.damaged += run.map(\.number)
        }
      }
      return result
    }
    guard budget.allows(holding: held.load(ordering: .relaxed)) else { return nil }
    for share in shares { damaged.formUnion(share.damaged) }
    guard shares.allSatisfy({ $0.damaged.isEmpty }) else { return nil }
    return shares.map { ($0.output, $0.rowCount) }
  }

  /// What one thread has read.
  private struct Share<Output: Sendable>: Sendable {
    var output: Output
    let rowCount: Int
    var damaged: [GranuleNumber] = []
  }
}

extension Record {
  /// About how many bytes the record takes.
  var byteCount: Int {
    MemoryLayout<Record>.stride + message.utf8.count + payload.count
      + scopes.reduce(0) { $0 + 16 + $1.utf8.count } + tags.count * 64
  }
}
