import KeyedArchive

/// The classes that a model's archive describes, and which of their names momc's strings share.
struct ModelClasses {
  typealias Assembler = ArchiveAssembler

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
  private static let arrayClass = ArchiveClass("NSArray", "NSObject")
  private static let mutableArrayClass = ArchiveClass("NSMutableArray", "NSArray", "NSObject")
  private static let dictionaryClass = ArchiveClass("NSDictionary", "NSObject")
  private static let mutableDictionaryClass = ArchiveClass(
    "NSMutableDictionary", "NSDictionary", "NSObject")
  private static let setClass = ArchiveClass("NSSet", "NSObject")

  func model(_ assembler: inout Assembler) -> Int { assembler.classIndex(Self.modelClass) }
  func entity(_ assembler: inout Assembler) -> Int { assembler.classIndex(Self.entityClass) }
  func array(_ assembler: inout Assembler) -> Int { assembler.classIndex(Self.arrayClass) }
  func mutableArray(_ assembler: inout Assembler) -> Int {
    assembler.classIndex(Self.mutableArrayClass)
  }
  func dictionary(_ assembler: inout Assembler) -> Int {
    assembler.classIndex(Self.dictionaryClass)
  }
  func mutableDictionary(_ assembler: inout Assembler) -> Int {
    assembler.classIndex(Self.mutableDictionaryClass)
  }
  func set(_ assembler: inout Assembler) -> Int { assembler.classIndex(Self.setClass) }

  /// The class of a property: its chain down to `NSPropertyDescription`.
  static func property(_ names: String...) -> ArchiveClass {
    ArchiveClass(chain: names + ["NSPropertyDescription", "NSObject"])
  }
}
