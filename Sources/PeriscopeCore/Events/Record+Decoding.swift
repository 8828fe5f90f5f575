#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import SegmentIndex

extension Record {
  /// The event that was logged, as a value of its Swift type; nil when the record is of another event.
  ///
  /// ```swift
  /// for record in try store.query("event = photo.imported").records {
  ///   if let photo = try record.decode(PhotoImported.self) { print(photo.album) }
  /// }
  /// ```
  /// The event's name decides, and not its version: a type that is to read older payloads has defaults for what they
  /// lack, or the caller looks at `version`. What the type was is of no account for `payload`, which is its JSON.
  ///
  /// - Throws: what the type's `init(from:)` throws when the payload is not what it expects, because another version
  ///   wrote it or a redaction changed it.
  public func decode<Event: LogEvent>(_ type: Event.Type) throws -> Event? {
    guard event == Event.eventName else { return nil }
    // A record has these two anyway, so its payload is empty.
    if let message = Message(level, LogMessage(message)) as? Event { return message }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return try decoder.decode(type, from: Data(payload))
  }
}
