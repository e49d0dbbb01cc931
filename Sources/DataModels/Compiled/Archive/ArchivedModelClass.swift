import PropertyLists

/// A class in a model's archive: the part of a model it represents, and where it is described.
struct ArchivedModelClass {
  /// How a decoder interprets objects of the class.
  enum Kind {
    case model, entity, attribute, derivedAttribute, compositeAttribute, relationship
    case fetchedProperty, expressionDescription, propertyProxy
    case fetchRequest, fetchIndex, fetchIndexElement, sortDescriptor
    case dictionary, knownKeysDictionary, array, set, orderedSet, string
    case date, uuid, url, data, decimal, null
    case comparison, compound, truePredicate, falsePredicate
    case constant, selfExpression, variable, keyPath, keyPathSpecifier, function, aggregate
    case subquery, ternary, setExpression, assignment, anyKey, symbolic, fetchExpression
    case predicateOperator
    case unknown
  }

  let kind: Kind

  /// Whether the class itself is known, rather than only one of its superclasses.
  let isKnownItself: Bool

  /// The number of the object that describes the class.
  let reference: Int

  init(_ described: ArchiveClass, reference: Int) {
    kind = Self.kind(of: described)
    isKnownItself = Self.kinds[described.name] != nil
    self.reference = reference
  }

  /// The kind of a class: the first known name in its chain decides.
  static func kind(of described: ArchiveClass) -> Kind {
    described.chain.lazy.compactMap { kinds[$0] }.first ?? .unknown
  }

  private static let kinds: [String: Kind] = [
    "NSManagedObjectModel": .model, "NSEntityDescription": .entity,
    "NSAttributeDescription": .attribute, "NSDerivedAttributeDescription": .derivedAttribute,
    "NSCompositeAttributeDescription": .compositeAttribute,
    "NSRelationshipDescription": .relationship,
    "NSFetchedPropertyDescription": .fetchedProperty,
    "NSExpressionDescription": .expressionDescription,
    "_NSPropertyDescriptionProxy": .propertyProxy, "NSFetchRequest": .fetchRequest,
    "NSFetchIndexDescription": .fetchIndex,
    "NSFetchIndexElementDescription": .fetchIndexElement, "NSSortDescriptor": .sortDescriptor,
    "NSDictionary": .dictionary, "NSMutableDictionary": .dictionary,
    "NSKnownKeysDictionary": .knownKeysDictionary,
    "NSKnownKeysDictionary1": .knownKeysDictionary, "NSArray": .array, "NSMutableArray": .array,
    "NSSet": .set, "NSMutableSet": .set, "NSOrderedSet": .orderedSet,
    "NSMutableOrderedSet": .orderedSet, "NSString": .string, "NSMutableString": .string,
    "NSDate": .date, "NSUUID": .uuid, "NSURL": .url, "NSData": .data, "NSMutableData": .data,
    "NSDecimalNumber": .decimal, "NSDecimalNumberPlaceholder": .decimal, "NSNull": .null,
    "NSComparisonPredicate": .comparison, "NSCompoundPredicate": .compound,
    "NSTruePredicate": .truePredicate, "NSFalsePredicate": .falsePredicate,
    "NSConstantValueExpression": .constant, "NSSelfExpression": .selfExpression,
    "NSVariableExpression": .variable, "NSKeyPathExpression": .keyPath,
    "NSKeyPathSpecifierExpression": .keyPathSpecifier, "NSFunctionExpression": .function,
    "NSAggregateExpression": .aggregate, "NSSubqueryExpression": .subquery,
    "NSTernaryExpression": .ternary, "NSSetExpression": .setExpression,
    "NSVariableAssignmentExpression": .assignment, "NSAnyKeyExpression": .anyKey,
    "NSSymbolicExpression": .symbolic, "NSFetchRequestExpression": .fetchExpression,
    "NSPredicateOperator": .predicateOperator,
  ]
}
