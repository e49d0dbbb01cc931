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
