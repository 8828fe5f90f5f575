import SegmentIndex
import TestSupport
import Testing

@Suite struct AttachmentListTests {
  static let list = AttachmentList([
    .init(name: "a.txt", type: "text/plain", content: .bytes(Array("grün \"\n".utf8))),
    .init(name: "b.json", type: "application/json", content: .bytes(Array("{\"n\":3}".utf8))),
    .init(name: "c.png", type: "image/png", content: .bytes([0x89, 0x50, 0, 0xff])),
    .init(name: "not text.txt", type: "text/plain", content: .bytes([0xff, 0xfe])),
    .init(name: "", type: "", content: .bytes([])),
    .init(
      name: "big", type: "x/y",
      content: .file(UniqueID(bits: 7), byteCount: 1 << 40, checksum: .max)),
    .init(name: "gone", type: "x/y", content: .lost(reason: "disk full", byteCount: 9)),
  ])

  @Test func whatIsWrittenIsRead() throws {
    #expect(try AttachmentList(json: Self.list.json) == Self.list)
    #expect(Self.list.files == [UniqueID(bits: 7)])
    #expect(Self.list.items.map(\.content.byteCount) == [8, 7, 4, 2, 0, 1 << 40, 9])
  }

  @Test func nothingIsNoBytes() throws {
    #expect(AttachmentList().json == [])
    #expect(try AttachmentList(json: []) == AttachmentList())
  }

  @Test func theTextIsForOthersToRead() {
    let list = AttachmentList([
      .init(name: "a", type: "text/plain", content: .bytes(Array("hi".utf8))),
      .init(name: "b", type: "image/png", content: .bytes([1])),
    ])
    #expect(
      String(decoding: list.json, as: UTF8.self)
        == #"{"count":2,"items":[{"name":"a","type":"text/plain","text":"hi"},"#
        + #"{"name":"b","type":"image/png","data":"AQ=="}]}"#)
  }

  @Test func whatANewerProgramAddsIsPassedOver() throws {
    let json = #"{"new":[1],"items":[{"name":"a","type":"t/x","text":"hi","also":{}}],"count":1}"#
    let list = try AttachmentList(json: Array(json.utf8))
    #expect(list.items == [.init(name: "a", type: "t/x", content: .bytes(Array("hi".utf8)))])
  }

  @Test(arguments: [
    "[]", "{", "7", #"{"items":{}}"#, #"{"items":[7]}"#, #"{"items":[{"data":"="}]}"#,
    #"{"items":[{"file":"x"}]}"#, #"{"items":[{"size":"x"}]}"#, #"{"items":[]} "x""#,
    #"{"items":[{"name":7}]}"#,
  ])
  func whatIsNoListIsAnError(json: String) {
    #expect(throws: JSONError.self) { try AttachmentList(json: Array(json.utf8)) }
  }

  @Test func anItemWithoutContentIsLost() throws {
    let list = try AttachmentList(json: Array(#"{"items":[{"size":-5}]}"#.utf8))
    guard case .lost(_, byteCount: 0) = list.items.first?.content else {
      Issue.record("\(list)")
      return
    }
  }

  @Test func damagedTextsNeverTrap() {
    var random = SeededRandom(seed: 77)
    let original = Self.list.json
    for _ in 0..<3_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          UInt8.random(in: .min ... .max, using: &random)
      }
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      }
      // What is accepted can be written, and comes back.
      if let list = try? AttachmentList(json: bytes) {
        #expect((try? AttachmentList(json: list.json)) == list)
      }
    }
  }
}
