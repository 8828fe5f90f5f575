import SegmentIndex

/// Digits that stand for a private value.
///
/// Who has the log can try out likely values, unless the hash depends on something that is not in it. That is a key which
/// this process chose by chance and keeps to itself.
enum PrivateHash {
  private static let key = UniqueID()

  /// 16 hexadecimal digits.
  static func text(of value: String) -> String {
    // The standard library's hash is a keyed one (SipHash), which is what it takes here.
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(value)
    let digits = String(UInt(bitPattern: hasher.finalize()), radix: 16)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }
}
