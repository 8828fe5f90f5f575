/// Unicode's simple case folding, without a locale, as tables.
///
/// They are made once, from the standard library's properties, so that folding a scalar is two loads and
/// its variants can be listed. The Turkish ı, which only Turkish would unite with i, is left alone, as are
/// scalars whose variant is several scalars: ß is not ss.
package struct CaseFolding: Sendable {
  package static let shared = CaseFolding()

  /// For each block of 256 scalars below U+1F000, which page has its folded forms; 0 if nothing folds.
  private var pageOfBlock = [UInt8](repeating: 0, count: 0x1f0)
  /// The folded form of each scalar of a block, page after page.
  private var pages = [UInt32](repeating: 0, count: 256)
  /// Every scalar that has variants, in ascending order.
  package private(set) var variable: [UInt32] = []
  /// All variants, by the folded form that they share.
  private var variants: [UInt32: [UInt32]] = [:]

  private init() {
    for range in Self.searched {
      for value in range {
        // Surrogates are not in these ranges.
        guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else {
          continue
        }
        let folded = Self.folded(scalar).value
        if folded != value { add(value, folded) }
      }
    }
    variable = variants.values.joined().sorted()
  }

  /// Where scripts with case are. Asking about every scalar there is would take longer than most queries.
  private static let searched: [ClosedRange<UInt32>] = [
    0...0x2dff, 0xa640...0xabff, 0xfb00...0x11fff, 0x16e00...0x16fff, 0x1d000...0x1efff,
  ]

  private mutating func add(_ value: UInt32, _ folded: UInt32) {
    let block = Int(value >> 8)
    if pageOfBlock[block] == 0 {
      pageOfBlock[block] = UInt8(pages.count / 256)
      pages += value & ~0xff...value | 0xff
    }
    pages[Int(pageOfBlock[block]) * 256 + Int(value & 0xff)] = folded
    variants[folded, default: [folded]].append(value)
  }

  /// The scalar that all case variants of this one share.
  package func folded(_ value: UInt32) -> UInt32 {
    let block = Int(value >> 8)
    guard block < pageOfBlock.count, pageOfBlock[block] != 0 else { return value }
    return pages[Int(pageOfBlock[block]) * 256 + Int(value & 0xff)]
  }

  /// All case variants of the scalar, itself among them.
  package func variants(of value: UInt32) -> [UInt32] {
    variants[folded(value)] ?? [value]
  }

  /// The folded form by its definition.
  ///
  /// Lower case alone would leave ς apart from σ and ſ from s; the way through upper case unites them.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard scalar.value != 0x131 else { return scalar }
    let upper = single(scalar.properties.uppercaseMapping) ?? scalar
    return single(upper.properties.lowercaseMapping) ?? upper
  }

  private static func single(_ mapping: String) -> Unicode.Scalar? {
    let scalars = mapping.unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }
}
