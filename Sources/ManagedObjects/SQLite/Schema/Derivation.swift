import PredicateFormat

/// The derivation of a derived attribute, in the forms that Core Data supports.
enum Derivation: Equatable {
  /// A function of one string.
  enum TextFunction: String {
    case canonical = "canonical:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"

    /// The function's name in SQL.
    var name: String {
      switch self {
      case .canonical: "NSCoreDataCanonical"
      case .uppercase: "NSCoreDataToUpper"
      case .lowercase: "NSCoreDataToLower"
      }
    }
  }

  /// The number of destinations of a to-many relationship.
  case count(relationship: String)
  /// `sum`, `min`, `max` or `avg` of an attribute of a to-many relationship's destinations.
  case aggregate(function: String, relationship: String, attribute: String)
  /// An attribute at the end of a path of to-one relationships, or of the entity itself.
  case path([String])
  /// A function of such an attribute.
  case text(TextFunction, path: [String])
  /// The time of the last save.
  case now

  /// The path to the attribute whose values are taken; nil if there is none.
  var path: [String]? {
    switch self {
    case .path(let path), .text(_, let path): path
    case .aggregate(_, let relationship, let attribute): [relationship, attribute]
    case .count, .now: nil
    }
  }

  /// Parses a derivation expression; nil if it has another form.
  init?(_ tree: ExpressionTree) {
    switch tree {
    case .keyPath(let path) where path.operand == .evaluatedObject:
      let keys = path.path.split(separator: ".").map(String.init)
      guard let place = keys.firstIndex(where: { $0.hasPrefix("@") }) else {
        self = .path(keys)
        return
      }
      self.init(String(keys[place].dropFirst()), Array(keys[..<place] + keys[(place + 1)...]))
    case .function(let function) where function.isBuiltIn:
      if function.selector == "now", function.arguments.isEmpty {
        self = .now
        return
      }
      guard function.arguments.count == 1, case .keyPath(let path) = function.arguments[0],
        path.operand == .evaluatedObject
      else { return nil }
      let keys = path.path.split(separator: ".").map(String.init)
      if let text = TextFunction(rawValue: function.selector) {
        self = .text(text, path: keys)
      } else {
        self.init(String(function.selector.dropLast()), keys)
      }
    default: return nil
    }
  }

  private init?(_ operation: String, _ keys: [String]) {
    switch (operation, keys.count) {
    case ("count", 1): self = .count(relationship: keys[0])
    case ("sum", 2), ("min", 2), ("max", 2):
      self = .aggregate(function: operation, relationship: keys[0], attribute: keys[1])
    case ("avg", 2), ("average", 2):
      self = .aggregate(function: "avg", relationship: keys[0], attribute: keys[1])
    default: return nil
    }
  }
}
