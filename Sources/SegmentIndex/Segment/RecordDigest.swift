internal import JournalKit

/// Computes digests of records: 64 bits over every field, the same in every process and version.
///
/// Summed with wrapping addition they do not depend on order, so the sum over a segment can be compared
/// with the sum over what it was made of.
struct RecordDigest {
  /// Stands for everything but the contents of texts: numbers, and how long and of what kind texts are.
  private var state: UInt64 = 0
  /// The texts, one after another.
  private var texts = ByteWriter()

  mutating func digest(of record: Record) -> UInt64 {
    state = 0
    texts.bytes.removeAll(keepingCapacity: true)
    add(record.id.bits)
    add(record.session.bits)
    add(UInt64(bitPattern: record.time))
    add(record.sequence)
    add(UInt64(bitPattern: Int64(record.level.severity)))
    add(record.level.name)
    add(record.event)
    add(UInt64(bitPattern: record.version))
    add(record.message)
    add(UInt64(record.scopes.count))
    for scope in record.scopes { add(scope) }
    let tags = record.tags.withUniqueKeys
    add(UInt64(tags.count))
    for tag in tags {
      add(tag.key)
      add(tag.value)
    }
    add(UInt64(record.payload.count))
    texts.bytes.append(contentsOf: record.payload)
    add(record.span) { $0.add($1.bits) }
    add(record.exit) { $0.add($1) }
    add(record.exitReason) { $0.add($1) }
    add(record.duration) { $0.add(UInt64(bitPattern: $1)) }
    add(record.function) { $0.add($1) }
    add(record.file) { $0.add($1) }
    add(record.line) { $0.add(UInt64(bitPattern: $1)) }
    add(record.externalID) { $0.add($1) }
    return texts.bytes.rawSpan.hash(seed: state)
  }

  /// Folds a number into the state: the 128-bit product of both with odd constants, onto itself.
  @inline(__always)
  private mutating func add(_ value: UInt64) {
    let product = (state ^ 0xa076_1d64_78bd_642f)
      .multipliedFullWidth(by: value ^ 0xe703_7ed1_a0b4_28db)
    state = (product.high ^ product.low) &+ 0x9e37_79b9_7f4a_7c15
  }

  @inline(__always)
  private mutating func add(_ value: UInt128) {
    add(UInt64(truncatingIfNeeded: value))
    add(UInt64(truncatingIfNeeded: value >> 64))
  }

  private mutating func add(_ text: String) {
    let start = texts.count
    texts.bytes.append(contentsOf: text.utf8)
    add(UInt64(texts.count - start))
  }

  private mutating func add(_ value: LogTagValue) {
    let start = texts.count
    texts.term(value)
    add(UInt64(texts.count - start))
  }

  @inline(__always)
  private mutating func add<Value>(_ value: Value?, _ add: (inout Self, Value) -> Void) {
    self.add(UInt64(value == nil ? 0 : 1))
    if let value { add(&self, value) }
  }
}
