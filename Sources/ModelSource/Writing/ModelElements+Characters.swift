extension ModelElements {
  /// Attributes that mean something else when a character of theirs is replaced, rather than just being misspelt.
  private static let exactAttributes: Set = ["defaultValueString", "regularExpressionString"]

  /// Reports texts with characters that XML can't hold, and removes those that had better be missing than wrong.
  ///
  /// - Parameter owner: What the element belongs to, for the report; empty for the model.
  mutating func noteUnwritableTexts(in element: inout SourceElement, of owner: String = "") {
    let name = element["name"] ?? element["key"] ?? ""
    let place = [owner, name].filter { !$0.isEmpty }.joined(separator: ".")
    for attribute in element.attributes where !SourceFormatter.canWrite(attribute.value) {
      noteLoss(
        of: "a character of the \(attribute.name) of '\(Self.visible(place))', which XML can't hold"
      )
      if Self.exactAttributes.contains(attribute.name) { element[attribute.name] = nil }
    }
    for index in element.children.indices {
      noteUnwritableTexts(in: &element.children[index], of: place)
    }
  }

  /// A name as it is written.
  private static func visible(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map(SourceFormatter.writable)))
  }
}
