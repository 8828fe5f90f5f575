/// A bar of block characters, `value / maximum` of `width` columns long. Any value above zero
/// shows.
package func bar(_ value: Int64, of maximum: Int64, width: Int) -> String {
  guard value > 0, maximum > 0, width > 0 else { return "" }
  let share = min(1, Double(value) / Double(maximum))
  let eighths = max(1, Int((share * Double(width * 8)).rounded()))
  let tips = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
  return String(repeating: "█", count: eighths / 8) + tips[eighths % 8]
}
