import AppendHarness
import Foundation
import PeriscopeCore

/// Measures what a log call costs its caller.
@main
struct EmitBenchmark {
  static let usage = """
    usage: emit-benchmark DIR VARIANT THREADS COUNT [PACE]
           emit-benchmark DIR floored
    variants: \(EmitCandidate.names.joined(separator: " "))
    """

  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[2] == "floored" {
      return try measureFlooredCalls(directory: arguments[1])
    }
    guard let options = Options(arguments, variants: EmitCandidate.names),
      case .measure(let pace) = options.mode
    else {
      print(usage)
      exit(2)
    }
    try? FileManager.default.removeItem(atPath: options.logDirectory)
    let measurement = try Measurement(EmitCandidate.self, options, pace: pace)
    print(measurement.fields(options.variant).joined(separator: "\t"))
  }

  /// Nanoseconds for a call whose level is below the floor: of all, and with a floor for another part of the tree.
  private static func measureFlooredCalls(directory: String) throws {
    let path = directory + "/periscope-floored"
    let store = try PeriscopeStore.make(
      storage: .directory(path), session: .current(app: "emit-benchmark"))
    defer { try? FileManager.default.removeItem(atPath: path) }
    store.minimumLevel = .warning
    let log = store.log("Shop")("Payments")
    func measure(_ name: String, _ body: (Int) -> Void) {
      let count = 50_000_000
      let start = now()
      for number in 0..<count { body(number) }
      print("\(name)\t\(fixed(Double(now() - start) / Double(count), digits: 2)) ns")
    }
    measure("floored") { log.info("order \($0) was paid") }
    store.setMinimumLevel(.error, under: ScopeID(root: "Other"))
    measure("floored, another subtree with a floor") { log.info("order \($0) was paid") }
    store.close()
  }
}
