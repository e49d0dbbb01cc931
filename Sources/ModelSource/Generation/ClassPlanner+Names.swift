import DataModels

/// Which names of classes and properties become code.
extension ClassPlanner {
  /// The class of objects whose entity names no other.
  static let anyObject = "NSManagedObject"

  /// The class of an entity; nil if it names none that can be generated or inherited from.
  func className(of entity: EntityDeclaration) -> String? {
    guard let name = entity.className.flatMap(CodeNames.className), name != Self.anyObject,
      !Self.systemClasses.contains(name), !namedModules.contains(name), !isKeyword(name)
    else { return nil }
    return name
  }

  func trouble(withClass text: String) -> String {
    guard let name = CodeNames.className(text), !isKeyword(name) else {
      return "'\(text)' is not a valid class name"
    }
    if namedModules.contains(name) {
      return "'\(name)' is a module whose types other classes of this model would hide"
    }
    return "'\(name)' is a class of Foundation or Core Data"
  }

  /// Whether a property is generated; if not, the log says why.
  mutating func isUsable(
    _ property: Declaration<some PropertyContent>, in number: Int
  ) -> Bool {
    let name = property.name
    let rule: SourceRule
    let reason: String
    if !CodeNames.isIdentifier(name) || isKeyword(name) {
      (rule, reason) = (.invalidName, "is not an identifier")
    } else if isReserved(name) {
      (rule, reason) = (.reservedName, "is a method or property of every object")
    } else if let owner = owner(of: name, above: number) {
      (rule, reason) = (.duplicateName, "is inherited from '\(owner)'")
    } else {
      return true
    }
    warn(
      rule, about: property, in: index.model.entities[number],
      "'\(name)' \(reason); no property is generated")
    return false
  }

  /// The relationships, of which only the first has methods for its members if those of several have the same names:
  /// `addToItems` is for `items` as well as for `Items`.
  mutating func withoutClashes(
    _ properties: [GeneratedProperty], of entity: EntityDeclaration
  ) -> [GeneratedProperty] {
    var owners: [String: String] = [:]
    return properties.map { property in
      guard case .toMany = property.kind else { return property }
      guard let owner = owners.updateValue(property.name, forKey: property.capitalizedName) else {
        return property
      }
      owners[property.capitalizedName] = owner
      if let declaration = entity.relationships.first(where: { $0.name == property.name }) {
        warn(
          .duplicateName, about: declaration, in: entity,
          "methods that add and remove members are generated for '\(owner)' only, as those of '\(property.name)' have"
            + " the same names")
      }
      var other = property
      other.hasMemberMethods = false
      return other
    }
  }

  private mutating func warn(
    _ rule: SourceRule, about property: Declaration<some PropertyContent>,
    in entity: EntityDeclaration, _ message: String
  ) {
    log.add(
      rule,
      about: DiagnosticSubject(property.element, entity: entity.name, property: property.name),
      at: "name", severity: .warning, message)
  }

  /// A superentity with a class that has a property of the same name already; extensions can't override.
  private func owner(of name: String, above number: Int) -> String? {
    var next = index.parents[number]
    while let current = next {
      let entity = index.model.entities[current]
      // Without a class of its own, nothing is inherited.
      guard className(of: entity) != nil else { return nil }
      if index.hasOwnProperty(name, of: current) { return entity.name }
      next = index.parents[current]
    }
    return nil
  }

  /// Swift's keywords are written in backticks.
  private func isKeyword(_ name: String) -> Bool {
    switch language {
    case .swift: name == "_"
    case .objectiveC: Self.keywordsOfC.contains(name)
    }
  }

  private func isReserved(_ name: String) -> Bool {
    if language == .swift, name == "hashValue" { return true }
    return ReservedNames.contains(name) && !ReservedNames.isTolerated(name)
  }

  /// The classes that generated code mentions. Another class of such a name would replace Apple's at run time.
  private static let systemClasses: Set<String> = [
    "NSArray", "NSData", "NSDate", "NSDecimalNumber", "NSDictionary", "NSFetchRequest",
    "NSIndexSet",
    "NSManagedObjectContext", "NSManagedObjectID", "NSMutableOrderedSet", "NSNumber", "NSObject",
    "NSOrderedSet", "NSSet", "NSString", "NSURL", "NSUUID",
  ]

  private static let keywordsOfC: Set<String> = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict",
    "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned",
    "void",
    "volatile", "while",
  ]
}
