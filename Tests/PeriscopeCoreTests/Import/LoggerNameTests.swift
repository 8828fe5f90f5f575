import PeriscopeCore
import SegmentIndex
import Testing

@Suite struct LoggerNameTests {
  @Test(arguments: [
    ("kernel", "kernel"),
    ("org.apache.hadoop.mapreduce", "org/apache/hadoop/mapreduce"),
    ("com.apple.CDScheduler", "com/apple/CDScheduler"),
    ("dfs.DataNode$PacketResponder", "dfs/DataNode$PacketResponder"),
    ("hyper::client::pool", "hyper/client/pool"),
    ("App/Photos", "App/Photos"),
    ("/var//log/", "var/log"),
    ("/10.0.0.1:80", "10.0.0.1:80"),
    ("büro.größe", "büro/größe"),
    // Not hierarchical names.
    ("10.0.0.1", "10.0.0.1"), ("v1.2", "v1.2"), ("fe80::1", "fe80::1"), ("a..b", "a..b"),
    (".a", ".a"), ("server.c:120", "server.c:120"), ("3888:Cnx$Listener", "3888:Cnx$Listener"),
    ("My App.exe", "My App.exe"),
  ])
  func becomesAScope(name: String, path: String) throws {
    #expect(try LineImporter.record(#"{"logger":"\#(name)"}"#).scopes == [path])
  }

  @Test(arguments: ["", "/", "//"])
  func keepsNoNameAsATag(name: String) throws {
    let record = try LineImporter.record(#"{"logger":"\#(name)"}"#)
    #expect(record.scopes.isEmpty)
    #expect(record.tag("logger") == .string(name))
  }

  @Test func keepsAnEndlessNameAsATag() throws {
    let name = String(repeating: "a", count: 513)
    let record = try LineImporter.record(#"{"logger":"\#(name)"}"#)
    #expect(record.scopes.isEmpty && record.tag("logger") == .string(name))
  }

  @Test(arguments: [
    "logger", "logger_name", "loggerName", "name", "component", "SYSLOG_IDENTIFIER",
    "SourceContext",
    "target", "code.namespace", "log.logger",
  ])
  func isFoundUnderManyKeys(key: String) throws {
    #expect(try LineImporter.record(#"{"\#(key)":"a.b"}"#).scopes == ["a/b"])
  }

  @Test func prefersTheBetterKey() throws {
    let record = try LineImporter.record(#"{"name":"svc","logger":"a.b"}"#)
    #expect(record.scopes == ["a/b"])
    #expect(record.tag("name") == .string("svc"))
  }
}
