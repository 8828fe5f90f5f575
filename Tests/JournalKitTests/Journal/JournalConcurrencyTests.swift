import JournalKit
import TestSupport
import Testing

@Suite struct JournalConcurrencyTests {
  /// Several tasks append, another rotates and reads: each entry is there once, and each task's in its order.
  @Test(arguments: [Journal.Configuration.Backend.written, .mapped])
  func everyTasksEntriesStayInOrder(backend: Journal.Configuration.Backend) async throws {
    let temporary = try TemporaryDirectory()
    let path = "\(temporary.path)/journal"
    let journal = try Journal(
      directory: path,
      configuration: Journal.Configuration(
        maximumByteCount: 8 << 20, segmentByteCount: 16 << 10, backend: backend))
    let (taskCount, entryCount) = (4, 500)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<taskCount {
        group.addTask {
          for number in 0..<entryCount {
            let sync: Sync = number % 100 == 99 ? .full : .processDeath
            try journal.append([UInt8(task), UInt8(number & 0xff), UInt8(number >> 8)], sync: sync)
          }
        }
      }
      group.addTask {
        for _ in 0..<20 {
          try journal.rotate()
          let recovery = try JournalRecovery.recover(directory: path)
          #expect(recovery.report.damages == [])
          let sequences = recovery.entries.map(\.sequence)
          #expect(sequences == Array(1..<UInt64(sequences.count + 1)))
        }
      }
      try await group.waitForAll()
    }
    journal.close()
    let recovery = try JournalRecovery.recover(directory: path)
    #expect(recovery.entries.count == taskCount * entryCount)
    #expect(recovery.report.damages == [] && !recovery.foundTornEntry)
    for task in 0..<taskCount {
      let numbers = recovery.entries.filter { $0.payload[0] == UInt8(task) }
        .map { Int($0.payload[1]) | Int($0.payload[2]) << 8 }
      #expect(numbers == Array(0..<entryCount))
    }
  }
}
