import DataModels

/// The content of a `<model>`.
struct ModelContent: Sendable {
  let element: SourceElement
  var versionIdentifier: String?
  var sourceLanguage: String?
  var usedWithCloudKit = false
  var entities: [EntityDeclaration] = []
  var fetchRequests: [FetchRequestDeclaration] = []
  var configurations: [ConfigurationDeclaration] = []
  var composites: [CompositeDeclaration] = []

  init(element: SourceElement) {
    self.element = element
  }
}

/// The content of an `<entity>`.
struct EntityContent: Sendable {
  let element: SourceElement
  var name = ""
  var className: String?
  var codeGeneration = CodeGenerationType.manual
  var parent: String?
  var isAbstract = false
  var renamingIdentifier: String?
  var versionHashModifier: String?
  var spotlightExpression: String?
  var attributes: [AttributeDeclaration] = []
  var relationships: [RelationshipDeclaration] = []
  var fetchedProperties: [FetchedPropertyDeclaration] = []
  var fetchIndexes: [FetchIndexDeclaration] = []
  /// The tuples of the older `<compoundIndexes>` element.
  var compoundIndexes: [NameTuple] = []
  var uniquenessConstraints: [NameTuple] = []
  var userInfo: [UserInfoEntry] = []

  init(element: SourceElement) {
    self.element = element
  }

  var propertyCount: Int { attributes.count + relationships.count + fetchedProperties.count }
}

/// The kind of class that Xcode's build generates for an entity.
enum CodeGenerationType: String, Sendable {
  /// None; the developer writes the class or has written it with Xcode's help.
  case manual = "none"
  /// The complete class.
  case wholeClass = "class"
  /// An extension with the properties of a class written by the developer.
  case category
}

/// A list of names: a uniqueness constraint or a compound index.
struct NameTuple: Sendable {
  var element: SourceElement
  var names: [String]
}

/// An `<entry>` in a `<userInfo>`.
struct UserInfoEntry: Sendable, Equatable {
  var key: String
  var value: String
}

/// A `<configuration>`.
struct ConfigurationDeclaration: Sendable {
  var element: SourceElement
  var name = ""
  var members: [SourceElement] = []
}

/// A `<composite>`: a named group of attributes.
struct CompositeDeclaration: Sendable {
  var element: SourceElement
  var name = ""
  var attributes: [AttributeDeclaration] = []
}

/// A `<fetchIndex>`.
struct FetchIndexDeclaration: Sendable {
  struct Element: Sendable {
    var element: SourceElement
    var property: String?
    var expression: String?
    var expressionType = NSAttributeType.undefinedAttributeType
    var isRTree = false
    var isAscending = true
  }

  var element: SourceElement
  var name = ""
  var partialPredicate: String?
  var elements: [Element] = []
}

/// A `<fetchRequest>`, of the model or of a fetched property.
struct FetchRequestDeclaration: Sendable {
  var element: SourceElement
  var name = ""
  var entity: String?
  var predicate: String?
  var fetchLimit = 0
  var batchSize = 0
  var resultType = 0
  var includesSubentities = true
  var includesPropertyValues = true
  var includesPendingChanges = true
  var returnsObjectsAsFaults = true
  var returnsDistinctResults = false
}

extension ModelContent {
  /// Drops everything without a name, and all but the first of everything with the same name, since models can't
  /// contain them.
  mutating func dropUnnamed() {
    fetchRequests = Self.named(fetchRequests, \.name)
    configurations = Self.named(configurations, \.name)
    composites = Self.named(composites, \.name).map { composite in
      var composite = composite
      composite.attributes = Self.named(composite.attributes, \.name)
      return composite
    }
    entities = Self.named(entities, \.name).map { declaration in
      var entity = declaration.content
      // In lookups by name, attributes precede relationships, which precede fetched properties.
      var seen: Set<String> = []
      entity.attributes = Self.named(entity.attributes, by: \.name, seen: &seen)
      entity.relationships = Self.named(entity.relationships, by: \.name, seen: &seen)
      entity.fetchedProperties = Self.named(entity.fetchedProperties, by: \.name, seen: &seen)
      entity.fetchIndexes = Self.named(entity.fetchIndexes, \.name).map { index in
        var index = index
        index.elements.removeAll { $0.property == nil && $0.expression == nil }
        return index
      }
      entity.uniquenessConstraints.removeAll { $0.names.isEmpty }
      return EntityDeclaration(entity)
    }
  }

  private static func named<Item>(_ items: [Item], _ name: (Item) -> String) -> [Item] {
    var seen: Set<String> = []
    return named(items, by: name, seen: &seen)
  }

  private static func named<Item>(
    _ items: [Item], by name: (Item) -> String, seen: inout Set<String>
  ) -> [Item] {
    items.filter { !name($0).isEmpty && seen.insert(name($0)).inserted }
  }
}
