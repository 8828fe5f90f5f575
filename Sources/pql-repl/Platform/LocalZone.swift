import PQL
import PeriscopeCore

extension TimeZoneRules {
  /// The rules of the machine's zone: those of `/etc/localtime`, or where that cannot be read or the user wants another
  /// zone, from 1970 to 2070 what the C library says.
  ///
  /// The library has no way to ask for the changes themselves, so they are looked for: the offset is asked
  /// for every two weeks, and where it differs the second of the change is found by halving.
  static func local() -> TimeZoneRules {
    // What the system's file says is had sooner, unless the user wants another zone.
    if environmentVariable("TZ") == nil,
      let bytes = try? InputFile(path: "/etc/localtime").contents(limit: 1 << 20),
      let rules = try? TimeZoneRules(zoneFile: bytes)
    {
      return rules
    }
    let step: Int64 = 14 * 86_400
    let end: Int64 = 3_155_760_000
    var second: Int64 = 0
    var offset = localOffset(atSecond: second)
    let initialOffset = offset
    var transitions: [Transition] = []
    while second < end {
      let next = localOffset(atSecond: second + step)
      if next != offset {
        var (before, after) = (second, second + step)
        while after - before > 1 {
          let middle = (before + after) / 2
          if localOffset(atSecond: middle) == offset { before = middle } else { after = middle }
        }
        transitions.append(Transition(second: after, offset: next))
        offset = next
      }
      second += step
    }
    return TimeZoneRules(initialOffset: initialOffset, transitions: transitions)
  }

  /// The rules of a zone that an option names.
  init(_ zone: Options.Zone) {
    switch zone {
    case .local: self = .local()
    case .fixed(let offset): self.init(initialOffset: offset)
    case .rules(let rules): self = rules
    }
  }

  /// The rules of a zone by its name, such as `Europe/Berlin`; nil when the system has no file for it.
  init?(named name: String) {
    let isName = name.utf8.allSatisfy { $0.isLetterOrDigit || "/_-+".utf8.contains($0) }
    guard isName, name.utf8.first?.isLetterOrDigit == true else { return nil }
    do {
      let file = try InputFile(path: "/usr/share/zoneinfo/" + name)
      self = try TimeZoneRules(zoneFile: try file.contents(limit: 1 << 20))
    } catch {
      return nil
    }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    let scalar = Unicode.Scalar(self)
    return scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
  }
}

/// Seconds east of UTC of the machine's zone.
private func localOffset(atSecond second: Int64) -> Int32 {
  var second = time_t(second)
  var parts = unsafe tm()
  guard unsafe localtime_r(&second, &parts) != nil else { return 0 }
  return Int32(clamping: unsafe parts.tm_gmtoff)
}
