package import JournalKit
package import SegmentIndex

/// Reads logs, one after another and piece by piece, into batches of records.
///
/// Helper threads read blocks of lines ahead. What a line depends on that comes before its block, the number of
/// records and the last time, is assumed; where it turns out to be wrong, the block is read again. So the
/// records are the same whatever the threads do.
package struct LogReader {
  private let session: UniqueID
  private let helpers: HelperThreads
  private var context: LineImporter.Context
  private var cutter = LineBlockCutter()
  /// What the log being read is called, and how many of its lines are in blocks.
  private var name = ""
  private var lineNumber = 0
  /// Blocks on their way, the oldest first.
  private var blocks: [Pending] = []

  private struct Pending {
    let block: LineBlock
    let source: String
    let lineNumber: Int
    let assumed: LineImporter.Context
    let batch: Deferred<LineBatch>
  }

  /// - Parameters:
  ///   - session: of lines that name none.
  ///   - now: nanoseconds since 1970, for lines before the first one with a time.
  package init(session: UniqueID, now: Int64, helpers: HelperThreads) {
    self.session = session
    self.helpers = helpers
    context = LineImporter.Context(lastTime: now)
  }

  /// Begins another log.
  package mutating func begin(_ name: String) {
    self.name = name
    lineNumber = 0
    cutter = LineBlockCutter()
  }

  /// Takes the next piece of the log; returns a batch, the next in order, when one is due.
  package mutating func append(_ chunk: RawSpan) -> LineBatch? {
    guard let block = cutter.append(chunk) else { return nil }
    add(block)
    // As many as keep each thread busy while the oldest is dealt with.
    return blocks.count > 2 + 2 * helpers.count ? next() : nil
  }

  /// Ends the log.
  package mutating func end() {
    if let block = cutter.finish() { add(block) }
  }

  /// The next batch of what has been read; nil when there is none.
  package mutating func next() -> LineBatch? {
    guard !blocks.isEmpty else { return nil }
    let oldest = blocks.removeFirst()
    var batch = result(of: oldest)
    if oldest.assumed.lastSequence != context.lastSequence || batch.missedTime {
      batch = LineBatch(
        oldest.block, of: oldest.source, after: oldest.lineNumber, session: session,
        context: context)
    }
    let lastTime = batch.context.lastTime ?? context.lastTime
    context = LineImporter.Context(
      lastSequence: batch.context.lastSequence, lastTime: lastTime)
    return batch
  }

  /// What came of a block. While a helper is at it, another one is read here, if there is one to be read.
  private func result(of block: Pending) -> LineBatch {
    if let batch = block.batch.resultUnlessBusy() { return batch }
    for other in blocks where other.batch.perform() { break }
    return block.batch.result()
  }

  private mutating func add(_ block: LineBlock) {
    // Nearly always each line is a record, with a time of its own.
    let assumed = LineImporter.Context(
      lastSequence: blocks.reduce(context.lastSequence) { $0 + UInt64($1.block.count) })
    let batch = helpers.defer { [session, name, lineNumber] in
      LineBatch(block, of: name, after: lineNumber, session: session, context: assumed)
    }
    blocks.append(
      Pending(
        block: block, source: name, lineNumber: lineNumber, assumed: assumed, batch: batch))
    lineNumber += block.count
  }
}
