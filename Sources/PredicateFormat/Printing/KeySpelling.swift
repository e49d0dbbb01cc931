/// The spelling of keys in the predicate format.
enum KeySpelling {
  /// Whether every key of a dotted path can be written as an identifier, with `#` where needed.
  static func isSpellable(_ path: String) -> Bool {
    path.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { key in
      var scalars = key.unicodeScalars
      if scalars.first == "@" { scalars.removeFirst() }
      guard let first = scalars.first, Identifier.isStart(first) else { return false }
      return scalars.dropFirst().allSatisfy(Identifier.isPart)
    }
  }

  /// A dotted path, with a `#` before it if its first key is a reserved word. After a dot, any word is a key.
  static func spell(_ path: String) -> String {
    let first = path.prefix { $0 != "." }
    return ReservedWord(first.utf8)?.isAlwaysReserved == true ? "#" + path : path
  }
}

/// The characters of identifiers.
enum Identifier {
  /// A letter, `_`, or any non-ASCII letter.
  static func isStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? scalar == "_" || scalar.properties.isAlphabetic
      : scalar.properties.isAlphabetic || scalar.properties.generalCategory == .otherSymbol
  }

  /// A character that may start an identifier, or a digit.
  static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      : isStart(scalar) || scalar.properties.numericType != nil
        || scalar.properties.generalCategory == .nonspacingMark
        || scalar.properties.generalCategory == .spacingMark
  }
}
