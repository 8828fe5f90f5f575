// The engine alone: a journal of plain lines, one segment made of it in memory, one query. Links neither
// Foundation nor the logging framework.

import JournalKit
import PQL
import SegmentIndex

let directory = CommandLine.arguments.dropFirst().first ?? "/tmp/periscope-tiny"
try JournalRecovery.remove(directory: directory)
let journal = try Journal(directory: directory)
for line in ["disk full", "retrying", "disk is fine"] { try journal.append(Array(line.utf8)) }
journal.close()

var builder = SegmentBuilder()
let session = UniqueID(bits: 1)
for entry in try JournalRecovery.recover(directory: directory).entries {
  builder.append(
    Record(
      id: UniqueID(session: session, sequence: entry.sequence), time: Int64(entry.sequence),
      sequence: entry.sequence, session: session, level: .info, event: "line",
      message: String(decoding: entry.payload, as: UTF8.self)))
}
let segment = try Segment(bytes: builder.finish(), name: "memory")
let result = try Query("disk | sort time").run(on: [segment], QueryContext(now: 0))
for record in result.records { print(record.message) }
try JournalRecovery.remove(directory: directory)
