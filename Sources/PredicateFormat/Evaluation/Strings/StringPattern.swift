/// The prepared right side of a string operator.
struct StringPattern: Sendable {
  private let strings: StringComparison
  private let kind: Kind

  private enum Kind: Sendable {
    case prefix(StringEnd)
    case suffix(StringEnd)
    case substring(StringSearch)
    case wildcards(WildcardPattern)
    case expression(Result<RegularPattern, PredicateFormatError>)
  }

  /// Returns nil if the operator is not a string operator.
  init?(_ text: String, for type: ComparisonOperator, strings: StringComparison) {
    self.strings = strings
    switch type {
    case .beginsWith: kind = .prefix(StringEnd(strings.folded(text)))
    case .endsWith: kind = .suffix(StringEnd(strings.folded(text)))
    case .contains: kind = .substring(StringSearch(strings.folded(text)))
    case .like: kind = .wildcards(WildcardPattern(strings.folded(text)))
    case .matches: kind = .expression(RegularPattern.prepare(text, strings))
    default: return nil
    }
  }

  func matches(_ string: String) throws(PredicateFormatError) -> Bool {
    switch kind {
    case .prefix(let prefix): return prefix.begins(strings.folded(string))
    case .suffix(let suffix): return suffix.ends(strings.folded(string))
    case .substring(let search): return search.occurs(in: strings.folded(string))
    case .wildcards(let pattern): return try pattern.matches(strings.folded(string))
    case .expression(let result): return try result.get().matches(string)
    }
  }
}

/// A comparison of a text with a constant text, evaluated on its bytes if they are ASCII, without creating a string.
package struct TextTest: Sendable {
  private let pattern: StringPattern

  /// Nil for predicates other than `CONTAINS`, `LIKE`, `BEGINSWITH` and `ENDSWITH` with a constant text.
  ///
  /// - Parameter variable: The variable that stands for the text.
  package init?(_ tree: PredicateTree, of variable: String) {
    guard case .comparison(let comparison) = tree, comparison.modifier == .direct,
      comparison.left == .variable(variable), case .constant(.string(let text)) = comparison.right,
      comparison.type != .matches,
      let pattern = StringPattern(
        text, for: comparison.type, strings: StringComparison(comparison.options))
    else { return nil }
    self.pattern = pattern
  }

  /// Whether the comparison holds; nil if the text isn't ASCII.
  package func holds(
    of text: TextBytes
  ) throws(PredicateFormatError) -> Bool? {
    guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
    return try pattern.matches(ascii: text)
  }
}

extension StringPattern {
  /// The same for text whose bytes are all ASCII; nil for regular expressions.
  fileprivate func matches(
    ascii text: TextBytes
  ) throws(PredicateFormatError) -> Bool? {
    let folds = strings.ignoresCase
    let folded = text.lazy.map(\.lowercasedASCII)
    switch kind {
    case .prefix(let prefix):
      return folds ? prefix.begins(ascii: folded) : prefix.begins(ascii: text)
    case .suffix(let suffix): return folds ? suffix.ends(ascii: folded) : suffix.ends(ascii: text)
    case .substring(let search):
      return folds ? search.occurs(inASCII: folded) : search.occurs(inASCII: text)
    case .wildcards(let pattern): return try pattern.matches(ascii: text, lowercased: folds)
    case .expression: return nil
    }
  }
}

extension String {
  /// The string's characters as composed by `NSString`: a carriage return followed by a line feed is two characters
  /// rather than one.
  var clusters: [Character] {
    var clusters: [Character] = []
    clusters.reserveCapacity(utf8.count)
    for character in self {
      if character == "\r\n" {
        clusters += ["\r", "\n"]
      } else {
        clusters.append(character)
      }
    }
    return clusters
  }
}
