internal import SegmentIndex
internal import Synchronization

// Putting together what the answer shows of the rows that were found.

extension Executor {
  /// Whole records, in the order found; nil when some could not be read, which is noted as damage.
  mutating func records(of found: FoundRows) -> [Record]? {
    elements(of: found, size: { $0.byteCount }) { segment throws(SegmentError) in
      try RecordReader(segment)
    } _: { reader, chunk, records throws(SegmentError) in
      try reader.append(chunk.rows, to: &records)
    }
  }

  /// The operands' values, in the order found; nil when some could not be read, which is noted as damage.
  mutating func values(of found: FoundRows, _ operands: [Operand]) -> [[Value?]]? {
    let sessions = sessions
    let size = MemoryLayout<[Value?]>.stride + operands.count * MemoryLayout<Value?>.stride
    return elements(of: found, size: { _ in size }) { segment throws(SegmentError) in
      try ValueReader(segment, sessions, operands)
    } _: { reader, chunk, values throws(SegmentError) in
      try reader.append(chunk.rows, ofGranule: chunk.number.granule, to: &values)
    }
  }

  /// What `read` makes of the rows of each chunk, in the order found; nil when some could not be read, which is noted
  /// as damage.
  ///
  /// - Parameters:
  ///   - byteCount: about how many bytes an element takes.
  ///   - makeReader: makes what reads one segment.
  ///   - read: appends the elements of a chunk.
  private mutating func elements<Element: Sendable, Reader>(
    of found: FoundRows, size byteCount: @Sendable (Element) -> Int,
    _ makeReader: @Sendable (Segment) throws(SegmentError) -> Reader,
    _ read:
      @Sendable (inout Reader, FoundRows.Chunk, inout [Element]) throws(SegmentError) -> Void
  ) -> [Element]? {
    let isSmall = found.count < concurrency.rowCount
    let shareCount = isSmall ? 1 : min(concurrency.threadCount, found.chunks.count)
    let (segments, budget, chunks) = (segments, budget, found.chunks)
    let held = Atomic(found.count * MemoryLayout<RowPlace>.stride * 2)
    let shares = concurrentResults(shareCount) { share in
      let start = chunks.count * share / shareCount
      var rest = chunks[start..<chunks.count * (share + 1) / shareCount]
      var result = Share<Element>()
      result.elements.reserveCapacity(rest.reduce(0) { $0 + $1.rows.count })
      while let segment = rest.first?.number.segment {
        // Readers are large, so that there is one for each segment and it stays where it is.
        let run = rest.prefix { $0.number.segment == segment }
        rest = rest.dropFirst(run.count)
        do throws(SegmentError) {
          var reader = try makeReader(segments[segment])
          for chunk in run {
            guard budget.allows(holding: held.load(ordering: .relaxed)) else { return result }
            let first = result.elements.count
            do throws(SegmentError) {
              try read(&reader, chunk, &result.elements)
            } catch {
              result.damaged.append(chunk.number)
            }
            let size = result.elements[first...].reduce(0) { $0 + byteCount($1) }
            held.wrappingAdd(size, ordering: .relaxed)
          }
        } catch {
          result.damaged += run.map(\.number)
        }
      }
      return result
    }
    guard budget.allows(holding: held.load(ordering: .relaxed)) else { return nil }
    var elements: [Element] = []
    for (index, share) in shares.enumerated() {
      damaged.formUnion(share.damaged)
      if index == 0 { elements = share.elements } else { elements += share.elements }
    }
    guard shares.allSatisfy(\.damaged.isEmpty) else { return nil }
    found.arrange(&elements)
    return elements
  }

  /// What one thread has read.
  private struct Share<Element: Sendable>: Sendable {
    var elements: [Element] = []
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
