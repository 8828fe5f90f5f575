/// A row of RFC 4180, ended by a line feed. A field with a comma, a quote or a line ending is
/// quoted.
package func csvRow(_ fields: [String]) -> String {
  fields.map(csvField).joined(separator: ",") + "\n"
}

private func csvField(_ text: String) -> String {
  let special = [",", "\"", "\n", "\r"].map { UInt8(ascii: $0) }
  guard text.utf8.contains(where: special.contains) else { return text }
  var quoted = "\""
  for scalar in text.unicodeScalars {
    if scalar == "\"" { quoted += "\"" }
    quoted.unicodeScalars.append(scalar)
  }
  return quoted + "\""
}
