import FuzzTargets

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The target that the environment names.
private let target: FuzzTarget = {
  let name = unsafe getenv("PERISCOPE_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    print("no target \"\(name)\"; there are:", FuzzTarget.all.map(\.name).joined(separator: " "))
    exit(2)
  }
  return target
}()

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try target.check(input)
  } catch {
    fatalError("\(target.name): \(error)")
  }
  return 0
}
