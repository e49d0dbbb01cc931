import PredicateFormat
import PropertyLists

/// An object to be archived.
enum ModelItem {
  case model
  case entities
  /// The names of a cached model's entities.
  case cachedNames
  case entity(Int)
  case subentities(Int)
  case properties(Int)
  case property(NSPropertyDescription, entity: Int?)
  case fetchRequest(AnyFetchRequest)
  case fetchIndex(NSFetchIndexDescription, entity: Int, ArchiveIdentity)
  case indexElement(NSFetchIndexElementDescription, index: ArchiveIdentity)
  case sortDescriptor(SortKey)
  case predicate(PredicateTree)
  case comparisonOperator(PredicateTree.Comparison)
  case expression(ExpressionTree)
  case keyPathSpecifier(String)
  /// An `NSMutableDictionary` or `NSDictionary` of names and objects.
  case dictionary([(name: String, value: Element)], isMutable: Bool)
  case array([Element], isMutable: Bool)
  case set([Element])
  case foundation(ArchiveFoundationValue)
  case foreign(PreservedArchive, Int)
  case mapping(MappingItem)

  /// An element of a collection.
  enum Element {
    case leaf(ArchiveIdentity?)
    case item(ModelItem, ArchiveIdentity?)
  }
}
