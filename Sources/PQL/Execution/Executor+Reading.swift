internal import SegmentIndex

// Putting together what the answer shows of the rows that were found.

extension Executor {
  /// Whole records, in the order found, which `memory` then holds; nil when some could not be read, which is noted as
  /// damage.
  mutating func records(of found: FoundRows, _ memory: HeldMemory) -> [Record]? {
    let threadCount = found.count < concurrency.rowCount ? 1 : concurrency.threadCount
    // Parts are joined, which takes room for one of them more. So they are small, if that is worth while.
    let partCount = max(threadCount, min(threadCount * 8, found.count / 4_096))
    let parts = read(found, inParts: partCount, memory) { part, count in
      var records: [Record] = []
      // The others are appended to the first.
      records.reserveCapacity(part == 0 ? min(found.count, 1 << 17) : count)
      return records
    } _: {
      segment throws(SegmentError) in
      try RecordReader(segment)
    } _: { reader, chunk, records throws(SegmentError) in
      let first = records.count
      try reader.append(chunk.rows, to: &records)
      return records[first...].reduce(0) { $0 + $1.byteCount }
    }
    guard var parts, !parts.isEmpty else { return nil }
    var records: [Record] = []
    for index in parts.indices {
      var output: [Record] = []
      swap(&output, &parts[index].output)
      if index == 0 { records = output } else { records += output }
    }
    found.arrange(&records)
    return records
  }

  /// The operands' values, in the order found, which `memory` then holds; nil when some could not be read, which is noted
  /// as damage.
  mutating func values(
    of found: FoundRows, _ operands: [Operand], _ memory: HeldMemory
  ) -> TableRows? {
    let sessions = sessions
    // A value is put together sooner than a record.
    let partCount = found.count < concurrency.rowCount * 8 ? 1 : concurrency.threadCount
    let parts = read(found, inParts: partCount, memory) { _, count in
      // Room for no more than fits before the budget is asked again.
      operands.map { ValueColumn($0, capacity: min(count, 1 << 16)) }
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

  /// What `read` makes of the rows of each chunk, in the order of the chunks and in so many parts, or fewer, at least
  /// one; nil when some could not be read, which is noted as damage, and when the budget ran out.
  ///
  /// - Parameters:
  ///   - memory: counts what is read, and `found`.
  ///   - makeOutput: what `read` begins with, for a part and so many rows.
  ///   - makeReader: makes what reads one segment.
  ///   - read: adds the rows of a chunk; returns about how many bytes they take.
  private mutating func read<Output: Sendable, Reader>(
    _ found: FoundRows, inParts partCount: Int, _ memory: HeldMemory,
    _ makeOutput: @Sendable (_ part: Int, _ rowCount: Int) -> Output,
    _ makeReader: @Sendable (Segment) throws(SegmentError) -> Reader,
    _ read: @Sendable (inout Reader, FoundRows.Chunk, inout Output) throws(SegmentError) -> Int
  ) -> [(output: Output, count: Int)]? {
    let (segments, budget, chunks) = (segments, budget, found.chunks)
    let shareCount = max(1, min(partCount, chunks.count))
    guard memory.allows(more: found.byteCount) else { return nil }
    let shares = concurrentResults(shareCount) { share in
      let start = chunks.count * share / shareCount
      var rest = chunks[start..<chunks.count * (share + 1) / shareCount]
      let rowCount = rest.reduce(0) { $0 + $1.rows.count }
      var result = Share(output: makeOutput(share, rowCount), rowCount: rowCount)
      while let segment = rest.first?.number.segment {
        // Readers are large, so that there is one for each segment and it stays where it is.
        let run = rest.prefix { $0.number.segment == segment }
        rest = rest.dropFirst(run.count)
        do throws(SegmentError) {
          var reader = try makeReader(segments[segment])
          for chunk in run {
            guard budget.allows() else { return result }
            do throws(SegmentError) {
              let size = try read(&reader, chunk, &result.output)
              guard memory.allows(more: size) else { return result }
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
    guard budget.allows() else { return nil }
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
    MemoryLayout<Record>.stride + message.utf8.count + payload.count + attachments.count
      + scopes.reduce(0) { $0 + 16 + $1.utf8.count } + tags.count * 64
  }
}
