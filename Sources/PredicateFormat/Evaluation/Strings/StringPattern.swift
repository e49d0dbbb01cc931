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
  init?(_ text: String, _ type: ComparisonOperator, _ strings: StringComparison) {
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
