import AppendHarness

/// Measures the software ways to compute a CRC-32C: nanoseconds for each length, the median of many rounds.
@main
struct ChecksumCandidates {
  static let candidates: [(String, @Sendable (UnsafeRawBufferPointer) -> UInt32)] = [
    ("byte by byte", { Checksum.bytewise($0) }), ("slicing by 8", { Checksum.slicingBy8($0) }),
    ("slicing by 16", { Checksum.slicingBy16($0) }),
    ("2 lanes of slicing by 8", { Checksum.twoLanes($0) }),
    ("3 lanes of slicing by 8", { Checksum.threeLanes($0) }),
  ]
  static let lengths = [64, 168, 350, 1000, 4096]

  static func main() {
    let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
    print("| ns | " + lengths.map { "\($0) B" }.joined(separator: " | ") + " |")
    print("|---|" + lengths.map { _ in "--:|" }.joined())
    for (name, checksum) in candidates {
      let times = lengths.map { length -> String in
        bytes.withUnsafeBytes { bytes in
          let part = UnsafeRawBufferPointer(rebasing: bytes[..<length])
          precondition(checksum(part) == Checksum.bytewise(part), "\(name) is wrong")
          return fixed(median(checksum, part), digits: 0)
        }
      }
      print("| \(name) | " + times.joined(separator: " | ") + " |")
    }
  }

  /// The median of 301 rounds, each long enough for the clock. The rounds of a call depend on each other, as the
  /// appends of a thread do.
  private static func median(
    _ checksum: (UnsafeRawBufferPointer) -> UInt32, _ bytes: UnsafeRawBufferPointer
  ) -> Double {
    let repetitions = 200
    var sum = 0 as UInt32
    let rounds = (0..<301).map { _ -> Double in
      let start = now()
      for _ in 0..<repetitions { sum ^= checksum(bytes) }
      return Double(now() - start) / Double(repetitions)
    }
    // An even number of equal terms. That it is checked keeps them from being left out.
    precondition(sum == 0)
    return rounds.sorted()[150]
  }
}
