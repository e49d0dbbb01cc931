/// The text between `&` and `;` in XML, limited to the five predefined names and character references.
package enum XMLReference {
  /// The character that a reference names; nil when it is not defined.
  ///
  /// - Parameter name: For example, `lt`, `#233` or `#xE9`.
  package static func character(_ name: Substring) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.hasPrefix("#") else { return nil }
      let digits = name.dropFirst()
      let number =
        digits.hasPrefix("x") || digits.hasPrefix("X")
        ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return number.flatMap(Unicode.Scalar.init)
    }
  }
}
