internal import JournalKit

/// Computes digests of records: 64 bits over every field, the same in every process and version.
///
/// Summed with wrapping addition they do not depend on order, so the sum over a segment can be compared
/// with the sum over what it was made of.
struct RecordDigest {
  private var scratch = ByteWriter()

  mutating func digest(of record: Record) -> UInt64 {
    scratch.bytes.removeAll(keepingCapacity: true)
    scratch.integer(record.id.bits)
    scratch.integer(record.session.bits)
    scratch.integer(record.time)
    scratch.integer(record.sequence)
    scratch.integer(record.level.severity)
    scratch.prefixedString(record.level.name)
    scratch.prefixedString(record.event)
    scratch.integer(record.version)
    scratch.prefixedString(record.message)
    scratch.varint(UInt64(record.scopes.count))
    for scope in record.scopes { scratch.prefixedString(scope) }
    let tags = record.tags.withUniqueKeys
    scratch.varint(UInt64(tags.count))
    for tag in tags {
      scratch.prefixedString(tag.key)
      append(tag.value)
    }
    scratch.varint(UInt64(record.payload.count))
    scratch.append(record.payload.rawSpan)
    append(record.span?.bits) { $0.integer($1) }
    append(record.exit) { $0.prefixedString($1) }
    append(record.exitReason) { $0.prefixedString($1) }
    append(record.duration) { $0.integer($1) }
    append(record.function) { $0.prefixedString($1) }
    append(record.file) { $0.prefixedString($1) }
    append(record.line) { $0.integer($1) }
    append(record.externalID) { $0.prefixedString($1) }
    return scratch.bytes.rawSpan.hash(seed: 0)
  }

  private mutating func append(_ value: LogTagValue) {
    let start = scratch.count
    scratch.term(value)
    scratch.varint(UInt64(scratch.count - start))
  }

  @inline(__always)
  private mutating func append<Value>(
    _ value: Value?, _ write: (inout ByteWriter, Value) -> Void
  ) {
    guard let value else { return scratch.byte(0) }
    scratch.byte(1)
    write(&scratch, value)
  }
}
