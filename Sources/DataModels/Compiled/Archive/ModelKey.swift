import PropertyLists

/// The keys of the objects in a model's archive, numbered so that they can be compared as integers.
enum ModelKey: UInt8, CaseIterable {
  // The model.
  case entities, configurations, fetchRequestTemplates, versionIdentifiers, compilerToolVersion,
    compilerXcodeVersion
  // Entities.
  case entityName, className, isAbstract, model, superentity, subentities, properties, userInfo,
    versionHashModifier, renamingIdentifier, uniqueTuples, spotlightDisplayName, fetchIndexes,
    compoundIndexes
  // Properties.
  case isOptional, isReadOnly, isTransient, isIndexedBySpotlight, isStoredInTruth, isOrdered,
    allowsCloudEncryption, propertyName, entity, validationPredicates, validationWarnings,
    flagWord
  // Attributes.
  case attributeType, valueClassName, defaultValue, valueTransformerName, isIndexed, flags,
    maxValue, minValue, derivationExpression, filteringPredicate, compositeElements
  // Relationships.
  case maxCount, minCount, deleteRule, destinationEntity, destinationEntityName,
    inverseRelationship, inverseRelationshipName
  // Fetched properties and expression descriptions.
  case fetchRequest, fetchRequestEntityName, expression, expressionType
  // Fetch requests.
  case predicate, sortDescriptors, fetchLimit, fetchOffset, batchSize, prefetchKeyPaths,
    valuesToFetch, havingPredicate, valuesToGroupBy, resultType, allocationType, allocationSize,
    hasFetchRequestFlags, fetchRequestFlags
  // Fetch indexes.
  case indexName, indexElements, partialIndexPredicate, indexedProperty, indexElementType, index,
    isAscending
  // Collections and values.
  case collectionKeys, collectionObjects, string, time, uuidBytes, base, relative, data, exponent,
    length, isNegative, isCompact, mantissaByteOrder, mantissa, searchMapping, mappingKeys,
    mappingValues, emptyToken
  // Predicates and expressions.
  case leftExpression, rightExpression, predicateOperator, subpredicates, compoundType,
    constantValue, constantValueClassName, selectorName, operand, arguments, keyPath, variable,
    collection, subpredicate, trueExpression, falseExpression, assignmentVariable, subexpression,
    token, fetchRequestExpression, managedObjectContext, isCountOnly, operatorType, modifier,
    negate, options, variant, operatorFlags, position
  // Sort descriptors.
  case sortKey, sortSelector, reverseNullOrder, type

  /// The key's number in encoders' and decoders' tables.
  var id: Int { Int(rawValue) }

  /// All keys, for encoders.
  static let table = ArchiveKeyTable(allCases.map(\.text))

  /// Whether it is a key of properties.
  var isOfProperties: Bool {
    switch self {
    case .isOptional, .isReadOnly, .isTransient, .isIndexedBySpotlight, .isStoredInTruth,
      .isOrdered, .allowsCloudEncryption, .propertyName, .entity, .validationPredicates,
      .validationWarnings, .flagWord, .renamingIdentifier, .versionHashModifier, .userInfo,
      .attributeType, .valueClassName, .defaultValue, .valueTransformerName, .isIndexed, .flags,
      .maxValue, .minValue, .derivationExpression, .filteringPredicate, .compositeElements,
      .maxCount, .minCount, .deleteRule, .destinationEntity, .destinationEntityName,
      .inverseRelationship, .inverseRelationshipName, .fetchRequest, .fetchRequestEntityName,
      .expression, .expressionType, .type:
      true
    default: false
    }
  }

  /// The key as written in archives.
  var text: String {
    switch self {
    case .entities: "NSEntities"
    case .configurations: "NSConfigurations"
    case .fetchRequestTemplates: "NSFetchRequestTemplates"
    case .versionIdentifiers: "NSVersionIdentifiers"
    case .compilerToolVersion: "CDMCompilerToolVersion"
    case .compilerXcodeVersion: "CDMCompilerXcodeVersion"
    case .entityName: "NSEntityName"
    case .className: "NSClassNameForEntity"
    case .isAbstract: "NSIsAbstract"
    case .model: "NSManagedObjectModel"
    case .superentity: "NSSuperentity"
    case .subentities: "NSSubentities"
    case .properties: "NSProperties"
    case .userInfo: "NSUserInfo"
    case .versionHashModifier: "NSVersionHashModifier"
    case .renamingIdentifier: "NSRenamingIdentifier"
    case .uniqueTuples: "NSUniqueTuples"
    case .spotlightDisplayName: "NSCoreSpotlightDisplayName"
    case .fetchIndexes: "NSFetchIndexDescriptions"
    case .compoundIndexes: "NSCompoundIndexes"
    case .isOptional: "NSIsOptional"
    case .isReadOnly: "NSIsReadOnly"
    case .isTransient: "NSIsTransient"
    case .isIndexedBySpotlight: "NSIndexedBySpotlight"
    case .isStoredInTruth: "NSIsStoredInTruth"
    case .isOrdered: "NSIsOrdered"
    case .allowsCloudEncryption: "NSAllowsCloudEncryption"
    case .propertyName: "NSPropertyName"
    case .entity: "NSEntity"
    case .validationPredicates: "NSValidationPredicates"
    case .validationWarnings: "NSValidationWarnings"
    case .flagWord: "_P"
    case .attributeType: "NSAttributeType"
    case .valueClassName: "NSAttributeValueClassName"
    case .defaultValue: "NSDefaultValue"
    case .valueTransformerName: "NSValueTransformerName"
    case .isIndexed: "NSIsIndexed"
    case .flags: "NSFlagsKey"
    case .maxValue: "NSMaxValueName"
    case .minValue: "NSMinValueName"
    case .derivationExpression: "NSDerivationExpression"
    case .filteringPredicate: "NSFilteringPredicate"
    case .compositeElements: "NSCompositeElements"
    case .maxCount: "NSMaxCount"
    case .minCount: "NSMinCount"
    case .deleteRule: "NSDeleteRule"
    case .destinationEntity: "NSDestinationEntity"
    case .destinationEntityName: "_NSDestinationEntityName"
    case .inverseRelationship: "NSInverseRelationship"
    case .inverseRelationshipName: "_NSInverseRelationshipName"
    case .fetchRequest: "NSFetchRequest"
    case .fetchRequestEntityName: "_NSFetchRequestEntityName"
    case .expression: "NSExpression"
    case .expressionType: "NSExpressionType"
    case .predicate: "NSPredicate"
    case .sortDescriptors: "NSSortDescriptors"
    case .fetchLimit: "NSFetchLimit"
    case .fetchOffset: "NSFetchOffset"
    case .batchSize: "NSBatchSize"
    case .prefetchKeyPaths: "NSRelationshipKeyPathsForPrefetching"
    case .valuesToFetch: "NSValuesToFetch"
    case .havingPredicate: "NSHavingPredicate"
    case .valuesToGroupBy: "NSValuesToGroupBy"
    case .resultType: "NSResultType"
    case .allocationType: "NSAllocationType"
    case .allocationSize: "NSAllocationSize"
    case .hasFetchRequestFlags: "NSHasFetchRequestFlags"
    case .fetchRequestFlags: "NSFetchRequestFlags"
    case .indexName: "NSIndexName"
    case .indexElements: "NSIndexElements"
    case .partialIndexPredicate: "NSPartialIndexPredicate"
    case .indexedProperty: "NSIndexedProperty"
    case .indexElementType: "NSFetchIndexElementType"
    case .index: "NSFetchIndexDescription"
    case .isAscending: "NSAscending"
    case .collectionKeys: "NS.keys"
    case .collectionObjects: "NS.objects"
    case .string: "NS.string"
    case .time: "NS.time"
    case .uuidBytes: "NS.uuidbytes"
    case .base: "NS.base"
    case .relative: "NS.relative"
    case .data: "NS.data"
    case .exponent: "NS.exponent"
    case .length: "NS.length"
    case .isNegative: "NS.negative"
    case .isCompact: "NS.compact"
    case .mantissaByteOrder: "NS.mantissa.bo"
    case .mantissa: "NS.mantissa"
    case .searchMapping: "searchMapping"
    case .mappingKeys: "keys"
    case .mappingValues: "values"
    case .emptyToken: "emptyToken"
    case .leftExpression: "NSLeftExpression"
    case .rightExpression: "NSRightExpression"
    case .predicateOperator: "NSPredicateOperator"
    case .subpredicates: "NSSubpredicates"
    case .compoundType: "NSCompoundPredicateType"
    case .constantValue: "NSConstantValue"
    case .constantValueClassName: "NSConstantValueClassName"
    case .selectorName: "NSSelectorName"
    case .operand: "NSOperand"
    case .arguments: "NSArguments"
    case .keyPath: "NSKeyPath"
    case .variable: "NSVariable"
    case .collection: "NSCollection"
    case .subpredicate: "NSSubpredicate"
    case .trueExpression: "NSTrueExpression"
    case .falseExpression: "NSFalseExpression"
    case .assignmentVariable: "NSAssignmentVariable"
    case .subexpression: "NSSubexpression"
    case .token: "NSToken"
    case .fetchRequestExpression: "NSFRExpression"
    case .managedObjectContext: "NSMOCExpression"
    case .isCountOnly: "NSCountOnlyFlag"
    case .operatorType: "NSOperatorType"
    case .modifier: "NSModifier"
    case .negate: "NSNegate"
    case .options: "NSOptions"
    case .variant: "NSVariant"
    case .operatorFlags: "NSFlags"
    case .position: "NSPosition"
    case .sortKey: "NSKey"
    case .sortSelector: "NSSelector"
    case .reverseNullOrder: "NSReverseNullOrder"
    case .type: "$class"
    }
  }
}
