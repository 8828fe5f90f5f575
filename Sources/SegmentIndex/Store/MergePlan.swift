/// Which segments of a store are to become one.
///
/// A bucket is a stretch of time whose records age together; a segment is of the bucket in which its last record
/// is. Within a bucket segments of about the same size, a factor of eight, are merged: in the newest one when
/// there are eight of them, in older ones, where little joins any more, when there are two. So a record
/// is written again once for each factor of eight between its first segment and a full one, and a bucket that is
/// over has few segments.
package struct MergePlan {
  /// The most bytes of segment files that one merge takes in, unless less is to be kept: what it holds in memory is
  /// several times as much.
  private static let defaultByteLimit: UInt64 = 16 << 20

  /// The width of a bucket in nanoseconds.
  let bucketWidth: Int64
  /// The most records of a segment.
  let rowLimit: Int
  /// The most bytes of segment files that one merge takes in.
  let byteLimit: UInt64

  package init(bucketWidth: Int64, rowLimit: Int) {
    self.init(bucketWidth: bucketWidth, rowLimit: rowLimit, byteLimit: Self.defaultByteLimit)
  }

  private init(bucketWidth: Int64, rowLimit: Int, byteLimit: UInt64) {
    self.bucketWidth = bucketWidth
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
  }

  /// A plan whose segments are small against what `retention` keeps: it drops them whole.
  init(_ retention: Retention, rowLimit: Int) {
    let rows = retention.maximumRecordCount.map { Int(clamping: $0 / 8) } ?? .max
    let bytes = retention.maximumByteCount.map { $0 / 8 } ?? .max
    self.init(
      bucketWidth: retention.bucketWidth, rowLimit: min(rowLimit, rows),
      byteLimit: min(Self.defaultByteLimit, bytes))
  }

  /// The segments of each merge, as they are in `entries`. None is in two.
  package func groups(of entries: [Manifest.Entry]) -> [[Manifest.Entry]] {
    let newest = entries.lazy.map(bucket).max() ?? 0
    var groups: [[Manifest.Entry]] = []
    for (key, members) in Dictionary(grouping: entries, by: key) {
      let wanted = key.bucket == newest ? 8 : 2
      var group: [Manifest.Entry] = []
      for entry in members where Int(entry.rowCount) <= rowLimit / 2 {
        if group.count == 8 || !group.isEmpty && exceedsLimits(group, with: entry) {
          // Those that fill a segment need not be as many as small ones.
          if group.count >= 2 { groups.append(group) }
          group = []
        }
        group.append(entry)
      }
      if group.count >= wanted { groups.append(group) }
    }
    return groups.sorted { $0[0].timeRange.upperBound < $1[0].timeRange.upperBound }
  }

  private func exceedsLimits(_ group: [Manifest.Entry], with entry: Manifest.Entry) -> Bool {
    let rows = group.reduce(Int(entry.rowCount)) { $0 + Int($1.rowCount) }
    // A manifest may claim any length of a file that is not there.
    let bytes = group.reduce(min(entry.length, byteLimit)) {
      $0 + min($1.length, byteLimit)
    }
    return rows > rowLimit || bytes > byteLimit
  }

  private func bucket(_ entry: Manifest.Entry) -> Int64 {
    let (quotient, remainder) = entry.timeRange.upperBound
      .quotientAndRemainder(dividingBy: bucketWidth)
    return remainder < 0 ? quotient - 1 : quotient
  }

  private struct Key: Hashable {
    let bucket: Int64
    /// The size in powers of eight.
    let size: Int
  }

  private func key(_ entry: Manifest.Entry) -> Key {
    let bits = UInt32.bitWidth - entry.rowCount.leadingZeroBitCount
    return Key(bucket: bucket(entry), size: bits / 3)
  }
}
