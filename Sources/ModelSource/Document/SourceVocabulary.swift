/// The elements and attributes that Xcode writes into a model's `contents`, in Xcode's order.
enum SourceVocabulary {
  /// The vocabulary of one kind of element.
  struct Entry: Sendable {
    /// The attributes, in Xcode's order.
    var attributes: [String]
    /// The allowed child elements, in Xcode's order.
    var children: [String]
    /// Whether Xcode sorts children of the same kind by name.
    var sortsChildren = false
  }

  static let entries: [String: Entry] = [
    "model": Entry(
      attributes: [
        "name", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
        "minimumToolsVersion", "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData",
        "userDefinedModelVersionIdentifier", "macOSVersion", "iOSVersion",
      ],
      children: ["entity", "fetchRequest", "configuration", "composite", "elements"],
      sortsChildren: true),
    "entity": Entry(
      attributes: [
        "name", "representedClassName", "isAbstract", "parentEntity", "elementID",
        "versionHashModifier", "syncable", "codeGenerationType",
        "coreSpotlightDisplayNameExpression",
      ],
      children: [
        "attribute", "relationship", "fetchedProperty", "fetchIndex", "compoundIndexes",
        "uniquenessConstraints", "userInfo",
      ],
      sortsChildren: true),
    "composite": Entry(
      attributes: ["name"], children: ["attribute"]),
    "attribute": Entry(
      attributes: [
        "name", "optional", "transient", "attributeType", "allowsExternalBinaryDataStorage",
        "allowsCloudEncryption", "spotlightIndexingEnabled", "storedInTruthFile",
        "valueTransformerName", "customClassName", "composite", "derived",
        "derivationExpression", "minDateTimeInterval", "maxDateTimeInterval", "minValueString",
        "maxValueString", "defaultDateTimeInterval", "defaultValueString",
        "regularExpressionString", "usesScalarValueType", "preserveAfterDeletion", "indexed",
        "elementID", "versionHashModifier", "syncable",
      ],
      children: ["userInfo"]),
    "relationship": Entry(
      attributes: [
        "name", "optional", "transient", "toMany", "minCount", "maxCount", "deletionRule",
        "ordered", "spotlightIndexingEnabled", "storedInTruthFile", "destinationEntity",
        "inverseName", "inverseEntity", "indexed", "elementID", "versionHashModifier", "syncable",
      ],
      children: ["userInfo"]),
    "fetchedProperty": Entry(
      attributes: [
        "name", "optional", "transient", "elementID", "versionHashModifier", "syncable",
      ],
      children: ["fetchRequest", "userInfo"]),
    "fetchRequest": Entry(
      attributes: [
        "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize",
        "includeSubentities", "includePropertyValues", "includesPendingChanges",
        "returnObjectsAsFaults", "returnDistinctResults", "resultType",
      ],
      children: []),
    "fetchIndex": Entry(
      attributes: ["name", "partialIndexPredicate"], children: ["fetchIndexElement"]),
    "fetchIndexElement": Entry(
      attributes: ["property", "expression", "expressionType", "type", "order"], children: []),
    "compoundIndexes": Entry(attributes: [], children: ["compoundIndex"]),
    "compoundIndex": Entry(attributes: [], children: ["index"]),
    "index": Entry(attributes: ["value"], children: []),
    "uniquenessConstraints": Entry(attributes: [], children: ["uniquenessConstraint"]),
    "uniquenessConstraint": Entry(attributes: [], children: ["constraint"]),
    "constraint": Entry(attributes: ["value"], children: []),
    "configuration": Entry(
      attributes: ["name", "usedWithCloudKit"], children: ["memberEntity"]),
    "memberEntity": Entry(attributes: ["name"], children: []),
    "userInfo": Entry(attributes: [], children: ["entry"]),
    "entry": Entry(attributes: ["key", "value"], children: []),
    "elements": Entry(attributes: [], children: ["element"]),
    "element": Entry(
      attributes: ["name", "positionX", "positionY", "width", "height"], children: []),
  ]

  /// Attributes that other tools write instead of Xcode's, and that are too different to be recognized as spelling
  /// mistakes.
  static let misnomers: [String: [String: String]] = [
    "entity": ["renamingIdentifier": "elementID", "className": "representedClassName"],
    "attribute": [
      "renamingIdentifier": "elementID", "preserveValueOnDeletion": "preserveAfterDeletion",
      "type": "attributeType", "defaultValue": "defaultValueString",
      "allowsExternalStorage": "allowsExternalBinaryDataStorage",
    ],
    "relationship": [
      "renamingIdentifier": "elementID", "deleteRule": "deletionRule", "inverse": "inverseName",
      "destination": "destinationEntity",
    ],
  ]

  /// The attribute that was probably intended by an unknown one.
  static func suggestion(forAttribute attribute: String, of element: String) -> String? {
    misnomers[element]?[attribute]
      ?? entries[element].flatMap {
        SpellingSuggestion.nearest(to: attribute, among: $0.attributes)
      }
  }
}
