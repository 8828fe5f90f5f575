/// What keeps a journal ready for its next entries, away from the threads that append them: a look at whether
/// its file is still there, the pages in front of the last entry, the space for the next segment, and what the last
/// one left.
///
/// It runs in rounds while there are entries, and rests when none came since the last one. Nothing depends on it:
/// a journal that gets no upkeep is slower, and notices later that it was deleted.
enum JournalUpkeep {
  /// The segment that grows, as far as upkeep is concerned with it.
  struct Segment {
    let number: UInt64
    let path: String
    let identity: FileStatus.Identity
    /// Nil when entries are written.
    let pages: MappedBytes.Pages?

    /// Whether the file is still the one of that name. What goes into another, nobody will ever read there; when
    /// the operating system does not say, it is.
    func isInPlace(_ fileSystem: any FileSystem) -> Bool {
      do throws(DiskError) {
        return try fileSystem.status(at: path)?.identity == identity
      } catch {
        return true
      }
    }
  }

  /// How a mapped segment grows.
  ///
  /// Pages are brought in shortly before they are used. All at once would be much for a program that logs little.
  /// And it would not last: when the system writes pages back, it protects them, and the next store into each costs
  /// as much as the first. So each round also makes good what was protected since the last one.
  struct Growth {
    /// What is brought in for a writer that just began.
    static let minimumLead: Int64 = 256 << 10

    /// Where the next frame goes.
    var end: Int64
    /// How much the segment grew since the last round.
    var grown: Int64

    /// How far it may grow before the next round is over, with a reserve.
    var expectedEnd: Int64 { end + 4 * grown }
    /// What is brought in.
    var lead: Int64 { Self.minimumLead + 4 * grown }
    /// The pages to bring in.
    var range: Range<Int64> { end..<end + lead }
    /// Growing as far as this before the next round is due shows that rounds are too rare.
    var wantedEnd: Int64 { end + lead / 2 }
  }

  /// The file of a mapped segment that ended, with the space that it did not need. Unmapping it and cutting
  /// the space off takes the system a while.
  struct Leftover {
    let segment: JournalSegmentInfo
    let identity: FileStatus.Identity
    /// Where its frames end.
    let end: Int64
    var pages: MappedBytes.Pages?

    /// Unmaps the file, cuts it off, and returns its length; nil when that did not work. Nobody else maps it, and
    /// readers only find zeros gone.
    consuming func cut(_ fileSystem: any FileSystem) -> Int64? {
      pages = nil
      do throws(DiskError) {
        let file = try fileSystem.open(segment.path, .readWrite)
        defer { try? fileSystem.close(file) }
        guard try fileSystem.status(of: file).identity == identity else { return nil }
        try fileSystem.truncate(file, length: end)
        return end
      } catch {
        return nil
      }
    }
  }

  /// One round's work, outside the journal's lock.
  struct Round {
    /// What segments that ended have left.
    var leftovers: [Leftover] = []
    /// What grows; nil when there is nothing new.
    var segment: Segment?
    /// What to bring in; nil when entries are written.
    var growth: Growth?
    /// Where the next segment's space is made, if that is due.
    var spare: JournalSpare?
    /// The length of a mapped segment's file.
    var length: Int64 = 0
    /// Whether to look after the file.
    var looks = true

    /// Does what `segment` needs first, and returns whether its file is still there.
    func run(_ fileSystem: any FileSystem) -> Bool {
      let isInPlace = !looks || segment?.isInPlace(fileSystem) != false
      // The next segment's space is made in no time, and who needs it meanwhile waits for it. Pages take longer.
      let next = spare?.prepare()
      guard let growth else { return isInPlace }
      segment?.pages?.populate(growth.range)
      if growth.range.upperBound > length { next?.populate(0..<growth.range.upperBound - length) }
      return isInPlace
    }
  }

  /// Does a round for `writer`, and says when the next one is due; nil when none is.
  static func round(
    _ writer: BargingMutex<JournalWriter>, _ fileSystem: any FileSystem
  ) -> Duration? {
    guard var round = writer.withLock({ $0.beginUpkeep() }) else { return nil }
    if !round.run(fileSystem), let segment = round.segment {
      writer.withLock { $0.leave(segment) }
    }
    while let leftover = round.leftovers.popLast() {
      let number = leftover.segment.number
      if let length = leftover.cut(fileSystem) { writer.withLock { $0.cut(number, length) } }
    }
    return round.growth == nil ? .seconds(1) : .milliseconds(100)
  }
}

extension JournalWriter {
  struct UpkeepState {
    /// Whether rounds go on by themselves.
    var isOn = false
    /// The last sequence at the last round.
    var sequence: UInt64 = 0
    /// The segment's number and length at the last round.
    var segment: UInt64 = 0
    var end: Int64 = 0
    /// Rounds until the next look at the file.
    var roundsUntilLook = 0
    /// The length from which on the next segment's space is to be made: half a segment, and after a failure more.
    var spareStart: Int64 = 0
    /// What segments that ended have left.
    var leftovers: [JournalUpkeep.Leftover] = []
  }

  private static let leftoverLimit = 8
  /// How many rounds of a mapped segment there are to a look at its file.
  private static let roundsPerLook = 10

  /// The next round; nil when there was nothing new since the last one, and upkeep rests.
  mutating func beginUpkeep() -> JournalUpkeep.Round? {
    guard !isClosed else { return nil }
    var round = JournalUpkeep.Round()
    guard lastSequence != upkeep.sequence, let segment = segment?.forUpkeep,
      let end = self.segment?.end
    else {
      round.leftovers = takeLeftovers()
      upkeep.isOn = !round.leftovers.isEmpty
      return upkeep.isOn ? round : nil
    }
    round.segment = segment
    if upkeep.segment != segment.number {
      // As far as before, now counted from the beginning of the next segment.
      let end = upkeep.segment == 0 ? 0 : upkeep.end - segmentLimit
      upkeep = UpkeepState(
        isOn: true, segment: segment.number, end: end, spareStart: segmentLimit / 2,
        leftovers: upkeep.leftovers)
    }
    if segment.pages != nil {
      // A segment before, that was made for one large entry, may have been longer than segments are.
      let growth = JournalUpkeep.Growth(end: end, grown: max(0, end - upkeep.end))
      round.growth = growth
      round.length = Int64(configuration.mappedLength ?? 0)
      round.looks = upkeep.roundsUntilLook == 0
      upkeep.roundsUntilLook = (round.looks ? Self.roundsPerLook : upkeep.roundsUntilLook) - 1
      self.segment?.upkeepEnd =
        end < upkeep.spareStart ? min(growth.wantedEnd, upkeep.spareStart) : growth.wantedEnd
    }
    // A fast writer needs it before half of this segment is used.
    let isFast = round.growth.map { $0.expectedEnd > round.length } == true
    if let spare, end >= upkeep.spareStart || isFast && spare.error == nil {
      round.spare = spare
      if spare.error != nil { upkeep.spareStart = end + segmentLimit / 16 }
    }
    // Who writes that fast is better served by the next segment, as long as the old ones are few.
    if !isFast || upkeep.leftovers.count >= Self.leftoverLimit { round.leftovers = takeLeftovers() }
    (upkeep.sequence, upkeep.end) = (lastSequence, end)
    return round
  }

  private mutating func takeLeftovers() -> [JournalUpkeep.Leftover] {
    defer { upkeep.leftovers = [] }
    return upkeep.leftovers
  }

  private var segmentLimit: Int64 { Int64(configuration.segmentLimit) }

  /// Adds nothing more to `segment`, whose file is gone.
  mutating func leave(_ segment: JournalUpkeep.Segment) {
    if self.segment?.forUpkeep.number == segment.number { self.segment?.abandon() }
  }

  /// Notes that segment `number`, which has ended, takes `length` bytes.
  mutating func cut(_ number: UInt64, _ length: Int64) {
    guard let index = closed.firstIndex(where: { $0.number == number }) else { return }
    closed[index].length = length
  }

  /// Looks after the file when nobody did for a while.
  mutating func lookAfterPause() {
    guard let segment = segment?.forUpkeep else { return }
    if !segment.isInPlace(environment.fileSystem) { leave(segment) }
  }
}
