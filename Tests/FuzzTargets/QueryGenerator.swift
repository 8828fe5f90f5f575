/// Makes random queries that bind, over the fields that `StoreGenerator` fills.
package struct QueryGenerator: Sendable {
  package var random: Choices

  package init(seed: UInt64) {
    self.init(Choices(seed: seed))
  }

  package init(_ choices: Choices) {
    random = choices
  }

  private mutating func pick<Element>(_ choices: [Element]) -> Element { random.pick(choices) }

  private mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }

  package mutating func query() -> String {
    filter(3) + stages()
  }

  /// A filter without stages.
  package mutating func filter(_ depth: Int) -> String {
    guard depth > 0, !chance(40) else { return leaf() }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return "not (\(filter(depth - 1)))"
    case 1: return (0..<2).map { _ in "(\(filter(depth - 1)))" }.joined(separator: " ")
    default: return (0..<2).map { _ in "(\(filter(depth - 1)))" }.joined(separator: " or ")
    }
  }

  package mutating func leaf() -> String {
    let order = pick(["<", "<=", ">", ">="])
    let equal = pick(["=", "!="])
    let has = pick(["has", "not has"])
    return pick([
      "message ~ 't.*t'", "message !~ '(?i)^.{4,8}$'", "event ~ '^(photo|Net)'",
      "tag.code ~ '^[45]'",
      "scope ~ 'o.*/'", "payload ~ '\"n\":[12]'", "lower(message) ~ 'caf.'",
      "*", "timeout", "strasse", "straße", "café", "σίσυφος", "t*t", "日本", "\"\"", "404", "tiny",
      "level \(order) \(pick(["warning", "error", "trace", "300"]))",
      "level \(equal) \(pick(["error", "trace", "400"]))", "level = *r*", "level : ERR",
      "event \(equal) photo.import", "event = photo.*", "event : PHOTO", "event \(order) sync",
      "event in (sync.begin, sync.e*, nothing)", "event not in (photo.import, Net.Error)",
      "under \(pick(["App", "App/Photos", "Job", "App/Photos/album-7", "Nowhere"]))",
      "scope \(equal) \(pick(["App", "Job/7", "App/Photos*"]))", "scope : photos",
      "scope in (App, Job/7)", "\(has) scope",
      "tag.code \(equal) \(pick(["404", "0", "true", "\"404\"", "0.5", "nothing"]))",
      "tag.code \(order) \(pick(["100", "0.5", "1e9", "\"400\""]))", "\(has) tag.code",
      "tag.code in (404, true, \"404\")", "tag.code : 40",
      "tag.user \(equal) \(pick(["ann", "é"]))",
      "tag.user : A", "tag.\"user id\" \(order) 1", "\(has) tag.missing", "tag.missing != 1",
      "payload.n \(equal) \(pick(["1", "2.5", "\"1\"", "9007199254740993", "7"]))",
      "payload.n \(order) 1", "payload.items[0].sku = A-17", "payload.deep.x.y : TIME",
      "\(has) payload.n", "\(has) payload", "payload : items", "payload[1] = 2",
      "payload.ok = true",
      "exit \(equal) success", "exit in (failure, orphaned)", "\(has) exit", "\(has) duration",
      "duration \(order) 2s", "duration \(equal) 0s", "line \(order) \(pick(["5", "7.5"]))",
      "version \(equal) 2", "\(has) span", "span = 00000000-0000-0000-0000-000000000002",
      "id = \(pick(["0", "a", "3", "f"]))*", "session = current", "session != previous",
      "session.app = *3.2*", "\(has) session.app", "session.os : linux", "session.start > (time)",
      "file : import", "function = decode*", "extid \(equal) x-1", "reason : timed",
      "since 2026-09-01T0\(pick([0, 1, 2, 3, 4]))\(pick([":00Z", ":30Z"]))",
      "until 2026-09-01T0\(pick([1, 2, 3, 4, 5])):15Z", "last \(pick(["30m", "2h", "5h"]))",
      "time \(order) 2026-09-01T02:00Z", "time >= -3h", "len(message) > 5", "tag.code = (line)",
      "payload.n < (line)", "lower(event) = net.error", "duration > (0s)",
    ])
  }

  // MARK: Stages

  private mutating func key() -> String {
    pick([
      "level", "event", "scope", "tag.code", "tag.user", "exit", "session", "session.app",
      "version",
      "h = bin(time, 1h)", "d = bin(time, 1d)", "line", "b = bin(line, 5)", "payload.n",
      "tag.missing",
      "l = len(message)", "long = duration > 2s", "message", "duration",
    ])
  }

  private mutating func aggregate(_ index: Int) -> String {
    let name = "a\(index) = "
    return name
      + pick([
        "count()", "count(level >= error)", "count(tag.code != 404)", "sum(line)", "sum(tag.code)",
        "sum(payload.n)", "sum(duration)", "avg(line)", "avg(duration)", "avg(tag.code)",
        "min(duration)", "max(tag.code)", "min(event)", "max(time)", "first(message)",
        "last(event)",
        "first(tag.user)", "rate()", "distinct(tag.code)", "distinct(session)", "p50(duration)",
        "p90(line)",
        "p99.9(tag.code)",
      ])
  }

  private mutating func keys() -> String {
    let first = key()
    guard chance(40) else { return first }
    let second = key()
    return first == second ? first : "\(first), \(second)"
  }

  package mutating func stages() -> String {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return ""
    case 1: return " | limit \(pick([0, 1, 3, 20]))"
    case 2: return " | count"
    case 3: return " | count by \(keys())"
    case 4: return " | stats \(aggregate(0)), \(aggregate(1)) by \(keys())"
    case 5: return " | stats \(aggregate(0)), \(aggregate(1))"
    case 6: return " | top \(pick([1, 2, 5])) \(keys())"
    case 7:
      return
        " | sort \(pick(["", "-"]))\(pick(["duration", "tag.code", "event", "payload.n", "scope"]))"
        + pick(["", " | limit 5"])
    case 8: return " | sort -level, (bin(time, 1h)) | limit 10 | where line > 3"
    case 9:
      return " | select time, event, x = len(message) + line, tag.code" + pick(["", " | limit 7"])
    case 10:
      return " | extend s = duration / 1s | where s > 1 | stats m = max(s), n = count() by event"
        + " | extend r = m * n | sort -r"
    case 11:
      return " | dedup \(pick(["event", "event, scope", "tag.code"]))" + pick(["", " | limit 3"])
    case 12:
      return
        " | timeline\(pick(["", " every 1h", " every 7m"]))\(pick(["", " by level", " by scope"]))"
    case 13:
      return " | spans" + pick(["", " | where open = false", " | stats max(duration) by exit"])
    case 14: return " | limit 3 | context \(pick(["0", "1", "2 0", "0 3"]))"
    case 15: return " | limit \(pick([1, 2, 12])) | trace\(pick(["", " back 20m depth 2"]))"
    case 16:
      return " | limit 8 | context 1 | where has line | stats count(), max(line) by match, level"
    case 17: return " | limit \(pick([5, 50])) | count by level"
    case 18:
      return " | select n = \(number(3)), d = \(duration(3)), t = \(time(2)), s = \(text())"
    default:
      return " | extend n = \(number(3)), d = \(duration(2)) "
        + pick([
          "| stats sum(n), avg(n), min(n), max(d), avg(d), p50(n), p90(d) by level",
          "| where n > 1 or d < 2s | select n, d, line",
          "| stats count(n > 2), distinct(n), sum(d)",
          "| sort -n, d | limit 7 | select n, d", "| count by bin(n, 2)", "| top 3 n",
        ])
    }
  }

  // MARK: Expressions

  /// An expression that is a number.
  package mutating func number(_ depth: Int) -> String {
    guard depth > 0, !chance(30) else {
      return pick([
        "line", "len(message)", "payload.n", "tag.code", "5", "0.5", "0", "version", "int(level)",
        "9007199254740993", "tag.\"user id\"",
      ])
    }
    switch random.number(0...8) {
    case 0...2:
      return "(\(number(depth - 1)) \(pick(["+", "-", "*", "/"])) \(number(depth - 1)))"
    case 3: return "(\(duration(depth - 1)) / \(duration(depth - 1)))"
    case 4: return "if(\(test(depth - 1)), \(number(depth - 1)), \(number(depth - 1)))"
    case 5: return "coalesce(\(number(depth - 1)), \(number(depth - 1)))"
    case 6: return "bin(\(number(depth - 1)), \(pick(["2", "0.5", "1000"])))"
    case 7: return "(-(\(number(depth - 1))))"
    default:
      let argument = pick([number(depth - 1), duration(depth - 1), time(depth - 1), text()])
      return "\(pick(["int", "double"]))(\(argument))"
    }
  }

  /// An expression that is a duration.
  package mutating func duration(_ depth: Int) -> String {
    guard depth > 0, !chance(30) else { return pick(["duration", "3s", "0s", "1h30m", "-7ms"]) }
    switch random.number(0...6) {
    case 0, 1: return "(\(duration(depth - 1)) \(pick(["+", "-"])) \(duration(depth - 1)))"
    case 2: return "(\(duration(depth - 1)) \(pick(["*", "/"])) \(number(depth - 1)))"
    case 3: return "(\(number(depth - 1)) * \(duration(depth - 1)))"
    case 4: return "(\(time(depth - 1)) - \(time(depth - 1)))"
    case 5: return "bin(\(duration(depth - 1)), \(pick(["1s", "7ms"])))"
    default: return "(-(\(duration(depth - 1))))"
    }
  }

  private mutating func time(_ depth: Int) -> String {
    guard depth > 0, !chance(40) else { return pick(["time", "session.start", "now", "today"]) }
    switch random.number(0...2) {
    case 0: return "(\(time(depth - 1)) + \(duration(depth - 1)))"
    case 1: return "(\(time(depth - 1)) - \(duration(depth - 1)))"
    default: return "bin(\(time(depth - 1)), \(pick(["1h", "1d", "7m", "1w", "36h"])))"
    }
  }

  private mutating func text() -> String {
    pick([
      "message", "lower(message)", "string(tag.code)", "type(payload.n)", "string(duration)",
      "string(scope)", "type(scope)", "lower(event)", "string(level)", "exit", "\"12\"", "\"1.5\"",
      "coalesce(exit, reason, event)", "string(payload)", "lower(scope)", "string(id)",
    ])
  }

  private mutating func test(_ depth: Int) -> String {
    pick([
      "level >= error", "has exit", "\(number(depth)) > \(pick(["2", "0.5"]))",
      "\(duration(depth)) <= 2s", "tag.code = 404", "not has line", "message : t",
      "scope = App or line < 5", "payload.n = (line)",
    ])
  }
}
