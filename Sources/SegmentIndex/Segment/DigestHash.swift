internal import JournalKit

/// The arithmetic of digests of records: 64 bits over every field, the same in every process and version.
///
/// Summed with wrapping addition they do not depend on order, so the sum over a segment can be compared
/// with the sum over what it was made of. A digest is itself a sum with a part for each field, so that a segment's can be
/// computed column by column (`SegmentDigester`); every part depends on which record it is of.
enum DigestHash {
  /// The 128-bit product of both numbers with odd constants, onto itself.
  @inline(__always)
  static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = (left ^ 0xa076_1d64_78bd_642f)
      .multipliedFullWidth(by: right ^ 0xe703_7ed1_a0b4_28db)
    return (product.high ^ product.low) &+ 0x9e37_79b9_7f4a_7c15
  }

  /// The number that stands for a record in all its parts.
  @inline(__always)
  static func seed(id: UInt128, session: UInt128, time: Int64, sequence: UInt64) -> UInt64 {
    var state = folded(0, UInt64(truncatingIfNeeded: id))
    state = folded(state, UInt64(truncatingIfNeeded: id >> 64))
    state = folded(state, UInt64(truncatingIfNeeded: session))
    state = folded(state, UInt64(truncatingIfNeeded: session >> 64))
    state = folded(state, UInt64(bitPattern: time))
    return folded(state, sequence)
  }

  /// What a field whose value has this hash adds to the digest of the record with this seed.
  @inline(__always)
  static func part(_ seed: UInt64, _ hash: UInt64) -> UInt64 {
    folded(seed, hash)
  }

  /// The seed of the hashes of a field's values.
  @inline(__always)
  static func seed(of field: FieldNumber) -> UInt64 {
    UInt64(field.rawValue)
  }

  /// The hash of a number.
  @inline(__always)
  static func hash(_ number: Int64, _ field: FieldNumber) -> UInt64 {
    folded(UInt64(bitPattern: number), seed(of: field))
  }
}
