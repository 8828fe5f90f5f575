package import PeriscopeCore

/// Records as lines of a log: time, level, scope and message, then whatever else the record holds,
/// which is folded onto lines of its own when it does not fit.
package struct LogLayout {
  private let zone: TimeZoneRules
  private let style: Style
  /// Columns.
  private let width: Int
  /// A payload is cut to this many columns; all of it is in the other modes.
  private static let payloadWidth = 160
  /// Events that say nothing beyond their message.
  private static let plainEvents = ["message", "imported"]

  package init(zone: TimeZoneRules, style: Style, width: Int) {
    self.zone = zone
    self.style = style
    self.width = width
  }

  /// The record's lines, each ended by a line feed.
  package func text(_ record: Record) -> String {
    let level = record.level.name.terminalSafe
    let scope = record.scopes.map(\.terminalSafe).joined(separator: " + ")
    // By scalars, because a carriage return and a line feed are one character.
    let message = record.message.unicodeScalars
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { Substring($0.last == "\r" ? $0.dropLast() : $0).terminalSafe }
    var line = style(timeText(record.time, in: zone), .dim) + " "
    line += style(level.padded(toWidth: 7), Style.paint(for: record.level))
    if !scope.isEmpty { line += " " + style(scope, .cyan) }
    line += "  " + (message.first ?? "")
    var used = 25 + max(7, level.displayWidth) + (scope.isEmpty ? 0 : scope.displayWidth + 1)
    used += 2 + (message.first ?? "").displayWidth
    for continuation in message.dropFirst() {
      line += "\n    " + continuation
      used = 4 + continuation.displayWidth
    }
    return line + folded(details(of: record), after: used) + "\n"
  }

  /// Puts `details` on the line if all of them fit, else on indented lines below it.
  private func folded(_ details: [String], after used: Int) -> String {
    let total = details.reduce(0) { $0 + $1.displayWidth + 1 }
    guard total > 0 else { return "" }
    if used + 1 + total <= width { return "  " + style(details.joined(separator: " "), .dim) }
    var lines: [String] = []
    var line = ""
    for detail in details {
      if !line.isEmpty, line.displayWidth + 1 + detail.displayWidth + 4 > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? detail : " " + detail
    }
    lines.append(line)
    return lines.map { "\n    " + style($0, .dim) }.joined()
  }

  /// What is not in the line itself, as `name=value`.
  private func details(of record: Record) -> [String] {
    var details: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value { details.append(name + "=" + value) }
    }
    if !Self.plainEvents.contains(record.event) { add("event", record.event.terminalSafe) }
    add("exit", record.exit.map(word))
    add("reason", record.exitReason.map(word))
    add("duration", record.duration.map(durationText))
    for tag in record.tags { add(word(tag.key), text(tag.value)) }
    add("extid", record.externalID.map(word))
    if !record.payload.isEmpty {
      let payload = String(decoding: record.payload, as: UTF8.self).terminalSafe
      add("payload", payload.truncated(toWidth: Self.payloadWidth))
    }
    for attachment in attachments(of: record) { add("attachment", attachment) }
    return details
  }

  /// What each attachment is called, what it is, and its length.
  private func attachments(of record: Record) -> [String] {
    guard !record.attachments.isEmpty else { return [] }
    guard let list = try? AttachmentList(json: record.attachments) else { return ["damaged"] }
    return list.items.map { item in
      var text = "\(item.name) \(item.type) \(item.content.byteCount) B"
      if case .lost(let reason, _) = item.content { text += ", not kept: \(reason)" }
      return word(text)
    }
  }

  private func text(_ value: LogTagValue) -> String {
    switch value {
    case .string(let text): word(text)
    case .int(let number): String(number)
    case .double(let number): number.description
    case .bool(let truth): String(truth)
    case .json(let json): json.terminalSafe
    }
  }

  /// The text, in quotes unless it is one word.
  private func word(_ text: String) -> String {
    let isWord = !text.isEmpty && !text.utf8.contains { $0 <= 0x20 || $0 == 0x22 || $0 == 0x3d }
    return isWord ? text.terminalSafe : quoted(text)
  }
}
