/// Queries that are known to be right and wrong: seeds for tests that change them.
package enum QueryExamples {
  /// One for each part of the language.
  package static let accepted = [
    #"timeout"#,
    #""disk full" -retry"#,
    #"level >= warning"#,
    #"level >= error last 1h"#,
    #"under App/Photos level >= error since today"#,
    #"scope = App/Photos/album-7"#,
    #"event = photo.import.*"#,
    #"event in (photo.import, photo.export) exit != success"#,
    #"tag.user = 42 tag.region = "eu""#,
    #"has tag.status tag.status != 200"#,
    #"message ~ 'HTTP/\d\.\d" 5\d\d'"#,
    #"(timeout or refused) -staging"#,
    #"exit in (failure, orphaned) duration > 2s"#,
    #"session = current"#,
    #"session.app = 3.2.* level = fault"#,
    #"since 2026-09-01T10:00Z until 2026-09-01T11:00Z"#,
    #"payload.request.items[0].sku = "A-17""#,
    #"tag."user id" = $user"#,
    #"file : Importer.swift function : decode*"#,
    #"| count"#,
    #"last 24h | count by level"#,
    #"since today | top 5 event"#,
    #"has duration | stats n = count(), p50(duration), p95(duration) by event"#,
    #"level >= error last 6h | timeline every 5m by event"#,
    #"last 1d | stats errors = count(level >= error), total = count() by scope "#
      + #"| extend pct = 100 * errors / total | where pct > 1 | sort -pct"#,
    #"under App/Sync | spans | where open = true | sort -duration"#,
    #"level = fault | limit 1 | trace back 10m"#,
    #"id = 3f2a9c10-* | context 20"#,
    #"level >= error | dedup event, scope | select time, event, message"#,
    #"last 7d | stats distinct(session), first(time), last(time), rate() by event, "#
      + #"day = bin(time, 1d)  # weekly digest"#,
  ]

  /// Each breaks a different rule.
  package static let rejected = [
    "a or b c", "a and b or c", "level >= ", "level >= error |", "foo | cuont", "a < b < c",
    "x && y",
    #"status =~ "5..""#, "a | extend x", "( a", #""open"#, "tag.user =", "last week", "issue#42",
    "a | limit -5", "a | limit x", "and", #"f~="x""#, "5 > level", "$x", "| where", "*=a",
    "photo.* ~ x", "error in parser", "...", "a | limit 1.5", "tag. = 1", "x[0] = 1 y[a] = 2",
    "'open", #""\q""#, String(repeating: "(", count: 70) + "a" + String(repeating: ")", count: 70),
    "- ", "a | sort", "a | stats", "a | top event", "has", "under", "since", "a --b", "don't panic",
    #"a"b""#, #""a"b"#,
  ]

  /// Pieces that random queries are put together from.
  package static let vocabulary = [
    "a", "foo", "timeout", "level", "duration", "tag.status", #"tag."x y""#, "payload.items[0].id",
    "App/Photos", "photo.*", "404", "5m", "10KiB", "1.5", "2026-09-01T10:00Z", #""q""#, #"'r\d'"#,
    #""\u{1b}""#, "é", "$p", "and", "or", "not", "in", "has", "under", "last", "since", "until",
    "(",
    ")", ",", "|", "=", "!=", "~", "!~", ":", "<", ">=", "-", "+", "*", "/", "-x", "count", "stats",
    "by", "where", "extend", "sort", "top", "limit", "timeline", "every", "trace", "back",
    "context",
    "3", "select", "dedup", "count()", "p95(", "x=", "true", "[0]", ".b", "\n", "# c\n",
    "bin(time, 5m)",
  ]
}
