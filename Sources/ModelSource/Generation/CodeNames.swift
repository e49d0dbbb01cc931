/// Converts names in a source to code.
enum CodeNames {
  /// A class's own name: `Person` for `Module.Person`, `.Person` and `Person`; nil when it isn't an identifier.
  static func className(_ text: String) -> String? {
    let name = text.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init)
    return name.flatMap { isIdentifier($0) ? $0 : nil }
  }

  static func isIdentifier(_ name: String) -> Bool {
    var isFirst = true
    for scalar in name.unicodeScalars {
      let isLetter = scalar == "_" || scalar.properties.isXIDStart
      guard isLetter || (!isFirst && scalar.properties.isXIDContinue) else { return false }
      isFirst = false
    }
    return !isFirst
  }

  /// A property's name in Swift, in backticks if it is a keyword.
  static func swift(_ name: String) -> String {
    swiftKeywords.contains(name) ? "`\(name)`" : name
  }

  /// A string as a Swift literal.
  static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// A Swift type named by a source, such as `[Int64]` or `Set<String>`; nil when the text isn't one (such as
  /// `NSSet<NSString *>`, which is Objective-C).
  static func swiftType(_ text: String) -> String? {
    let type = text.hasPrefix(".") ? String(text.dropFirst()) : text
    guard !type.isEmpty, type.utf8.count <= 256, !type.hasSuffix("."), !type.contains("..") else {
      return nil
    }
    var depth = 0
    var word = ""
    for character in type + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
        continue
      }
      guard word.isEmpty || isIdentifier(word) else { return nil }
      word = ""
      switch character {
      case "[", "<": depth += 1
      case "]", ">": depth -= 1
      case ".", ",", ":", "?", " ": break
      default: return nil
      }
      guard (0...16).contains(depth) else { return nil }
    }
    return depth == 0 ? type : nil
  }

  /// An Objective-C object type: a class, optionally with generic arguments.
  static func objectiveCType(_ text: String) -> String? {
    let type = text.hasPrefix(".") ? String(text.dropFirst()) : text
    guard type.utf8.count <= 256, let first = type.unicodeScalars.first,
      first == "_" || first.properties.isXIDStart,
      type.allSatisfy({ $0.isLetter || $0.isNumber || "_<>*, ".contains($0) })
    else { return nil }
    return type
  }

  private static let swiftKeywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "await", "break", "case",
    "catch", "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
    "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
