/// Reads one segment file from front to back, and finds its way again behind damage.
///
/// Every frame's checksum covers its ordinal, the number of entries before it in the file. In step, the reader
/// knows the ordinal and the checksum must match it. Behind damage, the reader solves the checksum for the
/// ordinal of each candidate: so it knows exactly how many entries are missing, whatever else of the file is gone.
struct JournalSegmentReader: ~Copyable {
  struct Frame: Equatable {
    let kind: JournalFrameKind
    let offset: Int64
    let payloadLength: Int
    /// Entries before this frame in the file.
    let ordinal: UInt64
    let checksum: UInt32

    var payloadRange: Range<Int64> {
      let start = offset + Int64(JournalFormat.frameOverhead)
      return start..<start + Int64(payloadLength)
    }
    var end: Int64 { offset + Int64(JournalFormat.frameLength(payload: payloadLength)) }
  }

  /// Why there is no frame at an offset.
  enum Flaw: Equatable {
    /// The file ends within it.
    case cutShort
    /// Its writer had not finished it.
    case beingWritten
    /// What is there, is no frame or was changed.
    case damaged
  }

  /// How a file ends.
  enum Ending: Equatable {
    /// With a seal, or where its writer stopped, with nothing after.
    case clean(isSealed: Bool)
    /// With bytes from `offset` on that nobody was promised: a frame that was not completed, or what a loss of
    /// power left behind the last sync.
    case torn(offset: Int64)
    /// With bytes from `offset` on that must have changed later, or with a seal that contradicts the entries.
    case damaged(offset: Int64)
  }

  enum Step: Equatable {
    case frame(Frame)
    /// No frame can be read in `range`, which held `missing` entries.
    case gap(Range<Int64>, missing: UInt64)
    case end(Ending)
  }

  private enum Candidate {
    case frame(Frame)
    case flaw(Flaw)
  }

  let header: JournalSegmentHeader
  private var window: FileWindow
  private var offset = JournalSegmentHeader.framesStart
  /// Entries before `offset`, missing ones included.
  private(set) var ordinal: UInt64 = 0
  /// Up to where a sync frame vouches for the file.
  private(set) var syncedEnd: Int64 = 0
  private var digest: UInt64 = 0
  private var hasGaps = false
  private var seal: JournalSeal?
  /// Whether a frame came that only stands behind the header entries.
  private var isPastHeaderEntries = false
  private let mayHaveLostPower: Bool
  /// How many more bytes may be read in vain: a file made for the purpose could have a candidate at every
  /// offset, and each as long as the file.
  private var searchBudget: Int64

  /// Header entries are small. Longer ones are no candidates in a search: in text, every fourth byte that is a
  /// space would make one of several megabytes.
  private static let longestHeaderInSearch = 1 << 20
  /// What may be read in vain at most. A file of a few pages may claim to have gigabytes.
  private static let searchLimit: Int64 = 4 << 30

  /// Starts behind `header`, which was read from the file in `window`; `bootID` is the present one.
  init(_ window: consuming FileWindow, header: JournalSegmentHeader, bootID: UInt128) {
    // Far from an overflow: a window is never longer than `FileWindow.maximumLength`.
    searchBudget = min(64 * window.length + (4 << 20), Self.searchLimit)
    self.window = window
    self.header = header
    mayHaveLostPower = bootID == 0 || bootID != header.bootID
  }

  var length: Int64 { window.length }
  var isSealed: Bool { seal != nil }

  /// The payload of the frame that `next` returned last.
  @_lifetime(borrow self)
  borrowing func payload(of frame: Frame) -> RawSpan {
    window.bytes(frame.payloadRange)
  }

  /// The next frame, gap, or the ending; nothing may be asked for after the ending.
  mutating func next() throws(DiskError) -> Step {
    var place = try candidate(at: offset, ordinals: ordinal...ordinal)
    if case .flaw = place {
      if try window.isBlank(from: offset) { return .end(ending) }
      place = try secondLook()
    }
    if case .flaw = place, seal == nil, let found = try search(from: offset) {
      place = try secondLook()
      if case .flaw = place {
        let gap = Step.gap(offset..<found.offset, missing: found.ordinal - ordinal)
        (offset, ordinal, hasGaps) = (found.offset, found.ordinal, true)
        return gap
      }
    }
    switch place {
    case .frame(let frame) where seal == nil:
      take(frame)
      return .frame(frame)
    case .frame:
      return .end(.damaged(offset: offset))
    case .flaw(let flaw):
      if flaw == .beingWritten, seal == nil,
        case .frame(let frame) = try candidate(
          at: offset, ordinals: ordinal...ordinal, isLast: true),
        frame.kind == .entry
      {
        take(frame)
        return .frame(frame)
      }
      // The death of a process cuts a frame short, but changes none that is there in full length. And nobody
      // knows what else there is behind the place where a search gave up.
      let isUnfinished =
        switch flaw {
        case .cutShort: try !endsWithEntry()
        case .beingWritten: true
        case .damaged: false
        }
      let isTorn =
        (isUnfinished || mayHaveLostPower) && seal == nil && offset >= syncedEnd
        && searchBudget > 0
      return .end(isTorn ? .torn(offset: offset) : .damaged(offset: offset))
    }
  }

  /// What is at `offset` now.
  ///
  /// A read of a file that a living writer maps is no picture of one moment: bytes further on may be newer. But the
  /// writer fills it from front to back. So once anything was seen further on, a second read finds here
  /// what was stored before it.
  private mutating func secondLook() throws(DiskError) -> Candidate {
    window.forget()
    searchBudget -= FileWindow.firstReadLength
    return try candidate(at: offset, ordinals: ordinal...ordinal)
  }

  /// Whether a whole entry is the last thing in the file, though the word before it says that it is longer: then the
  /// word was changed, and the entry was promised. Its end is taken to be the last byte that is not zero.
  private mutating func endsWithEntry() throws(DiskError) -> Bool {
    let start = offset + Int64(JournalFormat.frameOverhead)
    let longest = JournalFormat.frameLength(payload: JournalFormat.maximumPayloadLength)
    guard start <= window.length, window.length - offset <= Int64(longest),
      try window.load(offset..<window.length)
    else { return false }
    let bytes = window.bytes(offset..<window.length)
    var length = bytes.byteCount - JournalFormat.frameOverhead
    while length > 0 && bytes[JournalFormat.frameOverhead + length - 1] == 0 { length -= 1 }
    guard length <= JournalFormat.maximumPayloadLength else { return false }
    let word = JournalFrameWord(.entry, length: length).rawValue
    // With its own word, only padding is missing: nobody was promised an entry before it was written whole.
    guard word != bytes.littleEndian(UInt32.self, at: 0) else { return false }
    var payload = CRC32C()
    payload.update(bytes.extracting(JournalFormat.frameOverhead...).extracting(0..<length))
    let placed = JournalFormat.placed(
      payload: payload, salt: header.salt, offset: offset, word: word)
    return UInt64(placed.lastNumber(for: bytes.littleEndian(UInt32.self, at: 4))) == ordinal
  }

  private mutating func take(_ frame: Frame) {
    // The checksum was not in vain.
    searchBudget += frame.end - frame.offset
    offset = frame.end
    isPastHeaderEntries = isPastHeaderEntries || frame.kind != .header
    switch frame.kind {
    case .entry:
      ordinal += 1
      digest &+= UInt64(frame.checksum)
    case .header: break
    case .sync: if let mark = JournalSyncMark(payload(of: frame)) { syncedEnd = mark.end }
    case .seal: seal = JournalSeal(payload(of: frame))
    }
  }

  /// The ending of a file whose rest is blank.
  private var ending: Ending {
    guard let seal else { return .clean(isSealed: false) }
    let agrees = seal.entryCount == ordinal && (hasGaps || seal.digest == digest)
    return agrees ? .clean(isSealed: true) : .damaged(offset: offset)
  }

  /// The first frame behind `offset` that can be trusted.
  private mutating func search(from offset: Int64) throws(DiskError) -> Frame? {
    var at = offset + Int64(JournalFormat.alignment)
    while at + Int64(JournalFormat.frameOverhead) <= window.length && searchBudget > 0 {
      // No frame begins with zeros, and a file with holes may have gigabytes of them.
      if try window.isZero(at..<at + Int64(JournalFormat.frameOverhead)) {
        at = try window.blankEnd(from: at) & -Int64(JournalFormat.alignment)
        if at + Int64(JournalFormat.frameOverhead) > window.length { break }
      }
      // The shortest frame takes eight bytes: that bounds how many entries can have been in the gap.
      let room = UInt64(at - offset) / UInt64(JournalFormat.alignment)
      if case .frame(let frame) = try candidate(at: at, ordinals: ordinal...ordinal + room),
        try isTrustworthy(frame, gap: at - offset)
      {
        return frame
      }
      at += Int64(JournalFormat.alignment)
    }
    return nil
  }

  /// Whether a frame behind a gap of `gap` bytes is more than coincidence.
  ///
  /// A wider gap means more candidates, and more ordinals that each may have. Behind a small one the chance that
  /// noise passes is below one in a million; behind others the next frame has to follow, or the end.
  private mutating func isTrustworthy(_ frame: Frame, gap: Int64) throws(DiskError) -> Bool {
    if gap <= 4096 { return true }
    let next = frame.ordinal + (frame.kind == .entry ? 1 : 0)
    if case .frame = try candidate(at: frame.end, ordinals: next...next) { return true }
    let blankEnd = try window.blankEnd(from: frame.end)
    searchBudget -= blankEnd - frame.end + FileWindow.firstReadLength
    return blankEnd == window.length
  }

  /// Whether a search may meet a frame with this word behind damage.
  private func isExpected(_ word: JournalFrameWord) -> Bool {
    word.kind != .header || !isPastHeaderEntries && word.length <= Self.longestHeaderInSearch
  }

  /// The frame at `at`, if it is intact and its ordinal is one of `ordinals`: more than one in a search. The last frame
  /// may bear the mark of its writer, who died just before taking it away.
  private mutating func candidate(
    at: Int64, ordinals: ClosedRange<UInt64>, isLast: Bool = false
  ) throws(DiskError) -> Candidate {
    let overhead = Int64(JournalFormat.frameOverhead)
    guard try window.load(at..<at + overhead) else { return .flaw(.cutShort) }
    let rawWord = window.bytes(at..<at + overhead).littleEndian(UInt32.self, at: 0)
    guard let word = JournalFrameWord(rawValue: rawWord) else { return .flaw(.damaged) }
    let end = at + Int64(JournalFormat.frameLength(payload: word.length))
    if end > window.length { return .flaw(.cutShort) }
    if word.isBeingWritten && !isLast { return .flaw(.beingWritten) }
    guard ordinals.count == 1 || isExpected(word) else { return .flaw(.damaged) }
    // Most of what only looks like a frame fails here, before its many bytes are read.
    guard try window.isZero(at + overhead + Int64(word.length)..<end) else {
      return .flaw(.damaged)
    }
    searchBudget -= end - at
    guard try window.load(at..<end) else { return .flaw(.cutShort) }

    let bytes = window.bytes(at..<end)
    var payload = CRC32C()
    payload.update(bytes.extracting(JournalFormat.frameOverhead...).extracting(0..<word.length))
    let checksum = bytes.littleEndian(UInt32.self, at: 4)
    let placed = JournalFormat.placed(
      payload: payload, salt: header.salt, offset: at, word: word.rawValue)
    let ordinal = UInt64(placed.lastNumber(for: checksum))
    guard ordinals.contains(ordinal) else { return .flaw(.damaged) }
    return .frame(
      Frame(
        kind: word.kind, offset: at, payloadLength: word.length, ordinal: ordinal,
        checksum: checksum))
  }
}
