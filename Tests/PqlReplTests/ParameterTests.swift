import PQL
import PeriscopeCore
import Testing
import pql_repl

@Suite struct ParameterTests {
  static func value(_ argument: String) throws -> Value {
    let options = try Options(["-p", argument, "store"])
    return try options.parameters[0].value(in: TimeZoneRules(initialOffset: 3_600))
  }

  @Test(arguments: [
    ("x=5", Value.int(5)), ("x=-5", .int(-5)), ("x=1.5", .double(1.5)), ("x=1e3", .double(1_000)),
    ("x=true", .bool(true)), ("x=2m", .duration(120_000_000_000)), ("x=10KiB", .size(10_240)),
    ("x=1970-01-02", .time(86_400_000_000_000 - 3_600_000_000_000)),
    ("x=1970-01-02T00:00Z", .time(86_400_000_000_000)),
    ("x=word", .string("word")), ("x=", .string("")), ("x=nan", .string("nan")),
    ("x=1_000", .int(1_000)), ("x=-1.5e-3", .double(-0.0015)), ("x=0xdead", .string("0xdead")),
    ("x=0x1p3", .string("0x1p3")), ("x=+5", .string("+5")), ("x=5.", .string("5.")),
    ("x=1e", .string("1e")), ("x=-", .string("-")), ("x=--5", .string("--5")),
    ("x=\(Int64.min)", .int(.min)), ("x:int=1_000", .int(1_000)), ("x:double=1_0.5", .double(10.5)),
    ("x=inf", .string("inf")), ("x:string=5", .string("5")), ("x:int=5", .int(5)),
    ("x:double=5", .double(5)), ("x:bool=false", .bool(false)),
    ("x:duration=5s", .duration(5_000_000_000)), ("x:size=1KB", .size(1_000)),
    ("x:level=error", .level(.error)),
    ("x:uuid=00000000-0000-0000-0000-000000000001", .uuid(UniqueID(bits: 1))),
  ])
  func readsValues(argument: String, value: Value) throws {
    let read = try Self.value(argument)
    #expect(read == value)
    // Equality does not tell a size from an integer.
    #expect("\(read)" == "\(value)")
  }

  @Test(arguments: [
    "x:int=a", "x:bool=1", "x:level=loud", "x:uuid=1", "x:time=now", "x:thing=1",
    "x:int=0x5", "x:int=1.5", "x:double=0x5", "x:double=nan", "x=9223372036854775808", "x=1e999",
  ])
  func refusesWhatDoesNotFit(argument: String) {
    #expect(throws: UsageError.self) { try Self.value(argument) }
  }
}
