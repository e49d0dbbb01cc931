/// What stands between `&` and `;` in XML, where nothing but its own five names is defined.
package enum XMLReference {
  /// The character that a reference names; nil when it names none.
  ///
  /// - Parameter name: `lt`, `#233` or `#xE9`, for instance.
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
