import KeyedArchive

/// The classes that a model's archive describes, and which of their names momc's strings share.
///
/// Of one archive: the numbers of the classes that most objects are of are looked up once.
final class ModelClasses {
  typealias Assembler = ArchiveAssembler

  @exclusivity(unchecked) private var attribute: Int?
  @exclusivity(unchecked) private var relationship: Int?
  @exclusivity(unchecked) private var mutableDictionary: Int?

  /// Names of Core Data's own classes, and three of Foundation's, are a new string at each
  /// occurrence; the other names of Foundation's are known strings.
  static let style = ArchiveStyle(distinctClassNames: [
    "NSManagedObjectModel", "NSEntityDescription", "NSPropertyDescription",
    "NSAttributeDescription", "NSRelationshipDescription", "NSDerivedAttributeDescription",
    "NSCompositeAttributeDescription", "NSFetchedPropertyDescription", "NSExpressionDescription",
    "NSFetchRequest", "NSPersistentStoreRequest", "NSFetchIndexDescription",
    "NSFetchIndexElementDescription", "NSDecimalNumberPlaceholder", "NSVariableExpression",
    "NSComparisonPredicateOperator", "NSMappingModel", "NSEntityMapping", "NSPropertyMapping",
    "NSFetchRequestExpression",
  ])

  private static let modelClass = ArchiveClass("NSManagedObjectModel", "NSObject")
  private static let entityClass = ArchiveClass("NSEntityDescription", "NSObject")
  private static let attributeClass = property("NSAttributeDescription")
  private static let relationshipClass = property("NSRelationshipDescription")
  private static let arrayClass = ArchiveClass("NSArray", "NSObject")
  private static let mutableArrayClass = ArchiveClass("NSMutableArray", "NSArray", "NSObject")
  private static let dictionaryClass = ArchiveClass("NSDictionary", "NSObject")
  private static let mutableDictionaryClass = ArchiveClass(
    "NSMutableDictionary", "NSDictionary", "NSObject")
  private static let setClass = ArchiveClass("NSSet", "NSObject")

  func model(_ assembler: inout Assembler) -> Int { assembler.classIndex(Self.modelClass) }
  func entity(_ assembler: inout Assembler) -> Int { assembler.classIndex(Self.entityClass) }
  func attribute(_ assembler: inout Assembler) -> Int {
    if let attribute { return attribute }
    let index = assembler.classIndex(Self.attributeClass)
    attribute = index
    return index
  }
  func relationship(_ assembler: inout Assembler) -> Int {
    if let relationship { return relationship }
    let index = assembler.classIndex(Self.relationshipClass)
    relationship = index
    return index
  }
  func array(_ assembler: inout Assembler) -> Int { assembler.classIndex(Self.arrayClass) }
  func mutableArray(_ assembler: inout Assembler) -> Int {
    assembler.classIndex(Self.mutableArrayClass)
  }
  func dictionary(_ assembler: inout Assembler) -> Int {
    assembler.classIndex(Self.dictionaryClass)
  }
  func mutableDictionary(_ assembler: inout Assembler) -> Int {
    if let mutableDictionary { return mutableDictionary }
    let index = assembler.classIndex(Self.mutableDictionaryClass)
    mutableDictionary = index
    return index
  }
  func set(_ assembler: inout Assembler) -> Int { assembler.classIndex(Self.setClass) }

  /// The class of a property: its chain down to `NSPropertyDescription`.
  static func property(_ names: String...) -> ArchiveClass {
    ArchiveClass(chain: names + ["NSPropertyDescription", "NSObject"])
  }
}
