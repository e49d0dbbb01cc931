import PropertyLists

/// The classes that a model's archive describes, and which of their names are shared with momc's other strings.
///
/// An instance belongs to one archive. It caches the numbers of the most frequent classes.
final class ModelClasses {
  typealias Assembler = ArchiveAssembler

  /// The most frequent classes.
  private enum Kind: Int, CaseIterable {
    case model, entity, attribute, relationship
    case array, mutableArray, dictionary, mutableDictionary, set

    static let classes = allCases.map(\.archiveClass)

    private var archiveClass: ArchiveClass {
      switch self {
      case .model: ArchiveClass("NSManagedObjectModel", "NSObject")
      case .entity: ArchiveClass("NSEntityDescription", "NSObject")
      case .attribute: property("NSAttributeDescription")
      case .relationship: property("NSRelationshipDescription")
      case .array: ArchiveClass("NSArray", "NSObject")
      case .mutableArray: ArchiveClass("NSMutableArray", "NSArray", "NSObject")
      case .dictionary: ArchiveClass("NSDictionary", "NSObject")
      case .mutableDictionary: ArchiveClass("NSMutableDictionary", "NSDictionary", "NSObject")
      case .set: ArchiveClass("NSSet", "NSObject")
      }
    }
  }

  /// The number of each kind; −1 if not yet looked up.
  @exclusivity(unchecked) private var indexes = [Int](repeating: -1, count: Kind.allCases.count)

  /// Names of Core Data's own classes, and of three of Foundation's, are a new string at each occurrence; Foundation's
  /// other class names are shared.
  static let style = ArchiveStyle(distinctClassNames: [
    "NSManagedObjectModel", "NSEntityDescription", "NSPropertyDescription",
    "NSAttributeDescription", "NSRelationshipDescription", "NSDerivedAttributeDescription",
    "NSCompositeAttributeDescription", "NSFetchedPropertyDescription", "NSExpressionDescription",
    "NSFetchRequest", "NSPersistentStoreRequest", "NSFetchIndexDescription",
    "NSFetchIndexElementDescription", "NSDecimalNumberPlaceholder", "NSVariableExpression",
    "NSComparisonPredicateOperator", "NSMappingModel", "NSEntityMapping", "NSPropertyMapping",
    "NSFetchRequestExpression", "NSKnownKeysDictionary1", "NSKnownKeysMappingStrategy1",
  ])

  func model(into assembler: inout Assembler) -> Int { index(.model, into: &assembler) }
  func entity(into assembler: inout Assembler) -> Int { index(.entity, into: &assembler) }
  func attribute(into assembler: inout Assembler) -> Int { index(.attribute, into: &assembler) }
  func relationship(into assembler: inout Assembler) -> Int {
    index(.relationship, into: &assembler)
  }
  func array(into assembler: inout Assembler) -> Int { index(.array, into: &assembler) }
  func mutableArray(into assembler: inout Assembler) -> Int {
    index(.mutableArray, into: &assembler)
  }
  func dictionary(into assembler: inout Assembler) -> Int { index(.dictionary, into: &assembler) }
  func mutableDictionary(into assembler: inout Assembler) -> Int {
    index(.mutableDictionary, into: &assembler)
  }
  func set(into assembler: inout Assembler) -> Int { index(.set, into: &assembler) }

  private func index(_ kind: Kind, into assembler: inout Assembler) -> Int {
    let known = indexes[kind.rawValue]
    if known >= 0 { return known }
    let index = assembler.classIndex(Kind.classes[kind.rawValue])
    indexes[kind.rawValue] = index
    return index
  }

  /// The class of a property: the given names, followed by `NSPropertyDescription` and its superclass.
  static func property(_ names: String...) -> ArchiveClass {
    ArchiveClass(chain: names + ["NSPropertyDescription", "NSObject"])
  }
}
