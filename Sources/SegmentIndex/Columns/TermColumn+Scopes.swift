internal import JournalKit

extension TermColumn {
  /// By code, whether a scope of the list that it stands for is `path` or below it. The empty path is above all.
  ///
  /// Looks at the bytes of the terms, of which none has to be decoded.
  package func codes(ofScopesUnder path: String) throws(SegmentError) -> [Bool] {
    // Without the kind and the zero at the end: what an element begins with that begins with the path.
    let element = Array(Term.list([path]).encoded().dropFirst().dropLast())
    var table = [false]
    table.reserveCapacity(termCount + 1)
    try forEachEncodedTerm { term in
      guard term.byteCount > 0, term[0] == TermKind.list.rawValue else { return false }
      table.append(hasScope(term.extracting(1..<term.byteCount), under: element))
      return true
    }
    return table
  }
}

/// Whether an element of an encoded list is the encoded path or below it.
private func hasScope(_ list: RawSpan, under path: [UInt8]) -> Bool {
  var start = 0
  while start < list.byteCount {
    let isLongEnough = path.count < list.byteCount - start
    if isLongEnough, list.extracting(start..<start + path.count).equals(path.rawSpan) {
      let next = list[start + path.count]
      let isEscaped =
        start + path.count + 1 < list.byteCount && list[start + path.count + 1] == 0xff
      if path.isEmpty || next == UInt8(ascii: "/") || next == 0 && !isEscaped { return true }
    }
    // Past the zero that ends the element: an escaped one has `ff` behind it.
    while start < list.byteCount,
      list[start] != 0 || start + 1 < list.byteCount && list[start + 1] == 0xff
    {
      start += 1
    }
    start += 1
  }
  return false
}
