import PQL
import SegmentIndex
import TestSupport
import Testing

/// Queries made in Swift are the queries of their text.
@Suite struct QueryBuilderTests {
  private static let built: [(Query, String)] = [
    (Query {}, "*"),
    (Query { Filter.text("disk full") }, #""disk full""#),
    (
      Query {
        Filter.under("App/Photos")
        QueryField.level >= .error
        Filter.last(.seconds(3_600))
      }, #"under "App/Photos" and level >= "error" and last 1h"#
    ),
    (
      Query { Filter.text("a") || Filter.text("b") || !Filter.text("c") },
      #""a" or "b" or not "c""#
    ),
    (
      Query {
        Filter.any([.text("a"), .all([.text("b"), .text("c")])])
        QueryField.exit != "success"
      }, #"("a" or ("b" and "c")) and exit != "success""#
    ),
    (
      Query {
        QueryField.duration > .milliseconds(1_500)
        QueryField.line <= 5
        QueryField.tag("user id") == 42
        QueryField.tag("a.b") == "x"
        QueryField.payload("items", 0, "s k") < 1.5
        QueryField.tag("ok") != true
      },
      #"duration > 1s500ms and line <= 5 and tag."user id" = 42 and tag."a.b" = "x""#
        + #" and payload.items[0]."s k" < 1.5 and tag.ok != true"#
    ),
    (
      Query {
        Filter.has(.tag("x"))
        QueryField.event.isIn(["a", "b"])
        QueryField.file.contains("Import")
        QueryField.message.matches("5\\d\\d")
      },
      #"has tag.x and event in ("a", "b") and file : "Import" and message ~ "5\\d\\d""#
    ),
    (
      Query {
        Filter.since(.today - .seconds(3_600))
        Filter.until(.nanoseconds(0))
        QueryField.time >= .ago(.seconds(60))
      }, #"since "today" - 1h and until 1970-01-01T00:00Z and time >= "now" - 1m"#
    ),
    (
      Query {
        QueryField.session == UniqueID(bits: 1)
        QueryField.level == LogLevel("trace", severity: 50)
      }, #"session = "00000000-0000-0000-0000-000000000001" and level = 50"#
    ),
    (
      Query(stages: {
        QueryStage.count(by: QueryField.level, QueryField.time.bin(.seconds(3_600)))
        QueryStage.sort(.descending(QueryField<Int>.column("count")), .ascending(QueryField.level))
        QueryStage.limit(3)
      }), "* | stats count() by level, bin(time, 1h) | sort -count, level | limit 3"
    ),
    (
      Query(stages: {
        QueryStage.stats(
          [
            .count(where: .text("x") && .last(.seconds(60)) && !.since(.today)),
            .percentile(95, QueryField.duration).named("slow"), .sum(QueryField.tag("n")), .rate(),
          ], by: QueryField.event)
        QueryStage.where(QueryField<Duration>.column("slow") > .seconds(1))
      }),
      #"* | stats count(message : "x" and time >= (now - 1m) and not time >= "today"), "#
        + #"slow = p95(duration), sum(tag.n), rate() by event | where slow > 1s"#
    ),
    (
      Query {
        Filter.text("x")
      } stages: {
        QueryStage.trace(back: .seconds(60), depth: 2)
        QueryStage.top(5, by: QueryField.event)
      }, #""x" | trace back 1m depth 2 | top 5 event"#
    ),
    (
      Query(stages: {
        QueryStage.dedup(by: QueryField.event)
        QueryStage.context(before: 2, after: 0)
        QueryStage.select(QueryField.time, QueryField.message)
      }), "* | dedup event | context 2 0 | select time, message"
    ),
    (Query(stages: { QueryStage.spans }), "* | spans"),
    (
      Query(stages: {
        QueryStage.extend("s", QueryField.duration / .seconds(1) - QueryField.tag("x").asNumber * 2)
        QueryStage.extend("twice", (QueryField.line + 1) * (QueryField.line - QueryField.version))
        QueryStage.extend("age", QueryField.time - QueryField.sessionStart)
        QueryStage.extend("slow", QueryField.duration > .seconds(1) || .text("slow"))
        QueryStage.extend("v", QueryField.tag("a") * 2 / QueryField.payload("n"))
        QueryStage.where(QueryField<Double>.column("s") > 1.5)
      }),
      "* | extend s = duration / 1s - double(tag.x) * 2.0"
        + " | extend twice = (line + 1) * (line - version) | extend age = time - session.start"
        + #" | extend slow = duration > 1s or message : "slow" | extend v = tag.a * 2.0 / payload.n"#
        + " | where s > 1.5"
    ),
    (
      Query {
        QueryField.event.lowercased == "photo"
        QueryField.message.length > 80
        QueryField.exit.or("none") != "success"
        QueryField.tag("n").asInteger.bin(10) == 20
        QueryField.tag("n").typeName == "string"
        Filter.has(QueryField.duration.bin(.seconds(1)))
      } stages: {
        QueryStage.count(
          by: QueryField.either(.last(.seconds(60)), "new", else: "old"),
          QueryField.exit.or(QueryField.reason), QueryField.level.asText)
      },
      #"lower(event) = "photo" and len(message) > 80 and coalesce(exit, "none") != "success""#
        + #" and bin(int(tag.n), 10) = 20 and type(tag.n) = "string""#
        + #" and type(bin(duration, 1s)) : """#
        + #" | stats count() by if(time >= (now - 1m), "new", "old"), coalesce(exit, reason)"#
        + ", string(level)"
    ),
    (Query(stages: { QueryStage.timeline(every: .seconds(60)) }), "* | timeline every 1m"),
    (Query(stages: { QueryStage.count() }), "* | stats count()"),
  ]

  @Test func equalTheQueriesOfTheirText() throws {
    for (query, text) in Self.built {
      #expect(query.description == text)
      #expect(try Query(text) == query, "\(text)")
    }
  }

  @Test func conditionsAndLoopsBuild() {
    func query(_ event: String?, _ words: [String]) -> Query {
      Query {
        if let event { QueryField.event == event }
        if words.isEmpty { Filter.everything } else { Filter.text("first") }
        for word in words { Filter.text(word) }
      }
    }
    #expect(query("e", ["a", "b"]).description == #"event = "e" and "first" and "a" and "b""#)
    #expect(query(nil, []).description == "* and * and *")
  }

  /// Whatever a value holds, it stays one literal: never a word, a field, a stage or a wildcard.
  @Test func valuesStayValues() throws {
    let hostile = [
      "", "a*", "x | limit 0", #"" or "1" = "1"#, "level", "now", "tag.user", "$p", "-x", "\n# y",
      "\u{202e}", "and", "last 2h", "5", "true", "'", "\\", "\u{0}", "é", "e\u{301}",
    ]
    for text in hostile {
      let query = Query {
        Filter.text(text)
        Filter.under(text)
        QueryField.event == text
        QueryField.tag(text) == text
        QueryField.message.contains(text)
        QueryField.exit.isIn([text, text])
      }
      let again = try Query(query.description)
      #expect(again == query)
      guard case .and(let parts) = again.tree.filter.kind else {
        Issue.record("\(text)")
        continue
      }
      #expect(parts.count == 6 && again.tree.stages.isEmpty)
      guard case .text(let word, isPattern: false) = parts[0].kind,
        case .compare(.equal, _, let right) = parts[2].kind,
        case .literal(.string(let literal)) = right.kind
      else {
        Issue.record("\(text) became something else")
        continue
      }
      #expect(word == text && literal == text)
    }
  }

  @Test func extremeValuesReadBack() throws {
    for value in [Int64.min, .max, 0, -1] {
      let query = Query {
        QueryField.line == value
        Filter.since(.nanoseconds(value))
        QueryField.tag("d") == Double(value)
        QueryField.duration >= .nanoseconds(value)
        QueryField.time < .now + .nanoseconds(value) - .nanoseconds(value)
        Filter.last(.nanoseconds(value))
      }
      #expect(try Query(query.description) == query)
    }
    for value in [Double.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, 1e300] {
      let query = Query { QueryField.tag("d") < value }
      #expect(try Query(query.description) == query)
    }
    #expect(Query { QueryField.duration > .seconds(Int64.max) }.description.contains("duration > "))
  }

  @Test func wildcardsAreChecked() throws {
    let wildcards = try #require(Wildcards("photo.*"))
    let query = Query { QueryField.event.matches(wildcards) }
    #expect(query.description == "event = photo.*")
    #expect(try Query(query.description) == query)
    for text in [
      "photo", "a b*", "*", "-a*", "tag.*", "\"a*\"", "a* | x", "", "(a*)", "a*#", "$a*",
    ] {
      #expect(Wildcards(text) == nil, "\(text)")
    }
  }

  @Test func buildersRun() throws {
    let store = try SmallStore((0..<4).map { SmallStore.record($0) })
    let query = Query {
      Filter.text("record")
      QueryField.time >= .nanoseconds(SmallStore.start + 2_000_000_000)
    } stages: {
      QueryStage.count(by: QueryField.event)
    }
    let result = try query.run(on: store.segments, store.context)
    #expect(result.table?.rows == [[.string("photo.import"), .int(2)]])
  }

  @Test func computationsRun() throws {
    let store = try SmallStore(
      (0..<4).map { index in
        SmallStore.record(index) {
          $0.duration = Int64(index) * 500_000_000
          if index > 1 { $0.line = Int64(index) }
        }
      })
    let query = Query {
      Filter.has(QueryField.line.or(QueryField.tag("none").asInteger))
    } stages: {
      QueryStage.extend("seconds", QueryField.duration / .seconds(1))
      QueryStage.extend("more", QueryField<Double>.column("seconds") * 2 + 1)
      QueryStage.select(QueryField<Double>.column("seconds"), QueryField<Double>.column("more"))
    }
    let result = try query.run(on: store.segments, store.context)
    #expect(result.table?.rows == [[.double(1.5), .double(4)], [.double(1), .double(3)]])
  }
}
