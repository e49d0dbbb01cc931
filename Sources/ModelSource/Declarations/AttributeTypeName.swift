import ManagedModel

extension NSAttributeType {
  /// The types that a source can name, with their names, in Xcode's order.
  static let sourceNames: [(name: String, type: NSAttributeType)] = [
    ("Integer 16", .integer16AttributeType),
    ("Integer 32", .integer32AttributeType),
    ("Integer 64", .integer64AttributeType),
    ("Decimal", .decimalAttributeType),
    ("Double", .doubleAttributeType),
    ("Float", .floatAttributeType),
    ("String", .stringAttributeType),
    ("Boolean", .booleanAttributeType),
    ("Date", .dateAttributeType),
    ("Binary", .binaryDataAttributeType),
    ("UUID", .UUIDAttributeType),
    ("URI", .URIAttributeType),
    ("Transformable", .transformableAttributeType),
    ("ObjectID", .objectIDAttributeType),
    ("Composite", .compositeAttributeType),
  ]

  /// The type that a source calls `name`.
  init?(sourceName name: String) {
    guard let found = Self.sourceNames.first(where: { $0.name == name }) else { return nil }
    self = found.type
  }

  /// What a source calls the type; nil for the undefined one.
  var sourceName: String? {
    Self.sourceNames.first { $0.type == self }?.name
  }

  /// Whether the type's values are integers.
  var isInteger: Bool {
    switch self {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: true
    default: false
    }
  }

  /// Whether the type's values are numbers, Booleans excepted.
  var isNumeric: Bool {
    switch self {
    case .decimalAttributeType, .doubleAttributeType, .floatAttributeType: true
    default: isInteger
    }
  }
}
