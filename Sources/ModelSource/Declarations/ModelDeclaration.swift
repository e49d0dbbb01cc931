import DataModels

/// What a source declares, typed but not yet linked: names are texts, and may lead nowhere.
///
/// Checks, class generation and the model builder all work from declarations; each one keeps the
/// element it was read from, for places and for what only the source knows.
///
/// Models, entities and properties are of classes, since they hold many texts and are handed about a
/// lot. The reader fills one in when it makes it; afterwards it is only read, and checks for
/// overlapping access would be a good part of the time of compiling.
final class ModelDeclaration: @unchecked Sendable {
  let element: SourceElement
  @exclusivity(unchecked) var versionIdentifier: String?
  @exclusivity(unchecked) var sourceLanguage: String?
  @exclusivity(unchecked) var usedWithCloudKit = false
  @exclusivity(unchecked) var entities: [EntityDeclaration] = []
  @exclusivity(unchecked) var fetchRequests: [FetchRequestDeclaration] = []
  @exclusivity(unchecked) var configurations: [ConfigurationDeclaration] = []
  @exclusivity(unchecked) var composites: [CompositeDeclaration] = []

  init(element: SourceElement) {
    self.element = element
  }
}

/// An `<entity>`.
final class EntityDeclaration: @unchecked Sendable {
  // Sendable: filled in by the reader that makes it, and only read afterwards.
  let element: SourceElement
  @exclusivity(unchecked) var name = ""
  @exclusivity(unchecked) var className: String?
  @exclusivity(unchecked) var codeGeneration = CodeGenerationType.manual
  @exclusivity(unchecked) var parent: String?
  @exclusivity(unchecked) var isAbstract = false
  @exclusivity(unchecked) var renamingIdentifier: String?
  @exclusivity(unchecked) var versionHashModifier: String?
  @exclusivity(unchecked) var spotlightExpression: String?
  @exclusivity(unchecked) var attributes: [AttributeDeclaration] = []
  @exclusivity(unchecked) var relationships: [RelationshipDeclaration] = []
  @exclusivity(unchecked) var fetchedProperties: [FetchedPropertyDeclaration] = []
  @exclusivity(unchecked) var fetchIndexes: [FetchIndexDeclaration] = []
  /// The tuples of the older `<compoundIndexes>`.
  @exclusivity(unchecked) var compoundIndexes: [NameTuple] = []
  @exclusivity(unchecked) var uniquenessConstraints: [NameTuple] = []
  @exclusivity(unchecked) var userInfo: [UserInfoEntry] = []

  init(element: SourceElement) {
    self.element = element
  }

  var propertyCount: Int { attributes.count + relationships.count + fetchedProperties.count }
}

/// Which classes Xcode's build generates for an entity.
enum CodeGenerationType: String, Sendable {
  /// None; the developer writes (or had Xcode write) the class.
  case manual = "none"
  /// The whole class.
  case wholeClass = "class"
  /// An extension with the properties; the developer writes the class.
  case category
}

/// Names that belong together: a uniqueness constraint or a compound index.
struct NameTuple: Sendable {
  var element: SourceElement
  var names: [String]
}

/// An `<entry>` of a `<userInfo>`.
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
