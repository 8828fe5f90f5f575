// Segments alone, for an engine of one's own: records in, a segment out, its columns read by their types. Links
// neither the journal nor the query language.

import SegmentIndex

// Records may come in any order, and from anywhere.
var builder = SegmentBuilder()
let session = UniqueID()
let regions = ["eu-west", "us-east", "ap-south"]
for number in 0..<10_000 {
  var record = Record(
    id: UniqueID(session: session, sequence: UInt64(number)),
    time: 1_767_225_600_000_000_000 + Int64(number) * 1_000_000, sequence: UInt64(number),
    session: session, level: number % 50 == 0 ? .error : .info, event: "request.finished",
    message: "request \(number) took \(number % 97) ms")
  record.duration = Int64(number % 97) * 1_000_000
  record.tags = [LogTag("region", .string(regions[number % 3]))]
  builder.append(record)
}

// The bytes are what a segment file holds. They can be a segment without being a file.
let segment = try Segment(bytes: builder.finish(), name: "memory")
let snapshot = Snapshot(segments: [segment])

/// The mean duration for each region, in milliseconds. No record is put together for it: a granule's rows are two arrays,
/// codes of terms and integers.
func meanDurations(_ segment: Segment) throws -> [String: Double] {
  guard case .terms(let regions) = try segment.column(.tag("region")),
    case .integers(let durations) = try segment.column(.duration)
  else { return [:] }
  var sums = [Int64](repeating: 0, count: regions.termCount + 1)
  var counts = sums
  var codes: [UInt32] = []
  var values: [Int64] = []
  for granule in 0..<segment.granuleCount {
    try regions.decode(granule: granule, into: &codes)
    try durations.decode(granule: granule, into: &values)
    for (code, value) in zip(codes, values) {
      sums[Int(code)] += value
      counts[Int(code)] += 1
    }
  }
  var means: [String: Double] = [:]
  // Code 0 stands for rows without the tag.
  for (index, term) in try regions.terms.enumerated() {
    guard case .string(let region) = term else { continue }
    means[region] = Double(sums[index + 1]) / Double(counts[index + 1]) / 1e6
  }
  return means
}

for segment in snapshot.segments {
  for (region, mean) in try meanDurations(segment).sorted(by: { $0.key < $1.key }) {
    print("\(region): \(mean) ms")
  }
  // Some questions are answered by what is known of a column, without decoding a row.
  guard case .terms(let levels) = try segment.column(.level),
    let error = try levels.index(of: .level(.error))
  else { continue }
  print("errors: \(try levels.rowCount(ofTerm: error)) of \(segment.rowCount)")
  print("all is well: \(segment.verify().isEmpty)")
}
