extension String {
  /// The string with a Unicode scalar replaced wherever it occurs.
  ///
  /// For escaping: in files and languages a quotation mark ends a text even if a combining mark follows, and
  /// `replacing(_:with:)` wouldn't find it, since the two are one other character to Swift.
  package func replacing(scalar: Unicode.Scalar, with text: String) -> String {
    guard unicodeScalars.contains(scalar) else { return self }
    var result = String.UnicodeScalarView()
    for next in unicodeScalars {
      if next == scalar {
        result.append(contentsOf: text.unicodeScalars)
      } else {
        result.append(next)
      }
    }
    return String(result)
  }

  /// The string as text of XML or HTML: what would be read as markup is escaped, and in attributes quotation marks too.
  package func escapingMarkup(inAttribute: Bool) -> String {
    guard utf8.contains(where: { "&<>\"".utf8.contains($0) }) else { return self }
    let text = replacing(scalar: "&", with: "&amp;").replacing(scalar: "<", with: "&lt;")
      .replacing(scalar: ">", with: "&gt;")
    return inAttribute ? text.replacing(scalar: "\"", with: "&quot;") : text
  }
}
