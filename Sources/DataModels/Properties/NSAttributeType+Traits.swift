extension NSAttributeType {
  /// The properties of an attribute type, defined in a single table.
  ///
  /// A type's row determines its meaning for sources, listings, generated classes and checks. Only code that processes
  /// values distinguishes the types themselves, in switches without a `default`.
  package final class Traits: Sendable {
    /// The kind of values.
    package enum Kind: Sendable {
      case undefined, integer, decimal, real, text, boolean, date, bytes, uuid, url, transformable,
        objectID, composite
    }

    /// The kind of values.
    package let kind: Kind
    /// The type's name in Swift.
    package let name: String
    /// The name in sources; nil for the undefined type.
    package let sourceName: String?
    /// The name in Xcode's editor.
    package let title: String
    /// The class of the values; nil if the type doesn't determine it.
    package let valueClassName: String?
    /// The scalar Swift type of the values; nil for none.
    package let swiftScalar: String?
    /// The Swift type of the values as objects; nil if the type doesn't determine it.
    package let swiftObject: String?
    /// The scalar C type of the values; nil for none.
    package let cScalar: String?
    /// The default for scalar accessors in sources; nil if sources don't have the setting.
    package let prefersScalar: Bool?

    fileprivate init(
      _ kind: Kind, _ name: String, source: String? = nil, title: String, class valueClass: String?,
      swift: String?, scalar: (swift: String, c: String)? = nil, prefersScalar: Bool? = nil
    ) {
      self.kind = kind
      self.name = name
      sourceName = source ?? (kind == .undefined ? nil : title)
      self.title = title
      valueClassName = valueClass
      swiftScalar = scalar?.swift
      swiftObject = swift
      cScalar = scalar?.c
      self.prefersScalar = prefersScalar
    }

    fileprivate static func number(
      _ kind: Kind, _ name: String, title: String, scalar: (swift: String, c: String)
    ) -> Traits {
      Traits(
        kind, name, title: title, class: "NSNumber", swift: "NSNumber", scalar: scalar,
        prefersScalar: true)
    }
  }

  /// The type's row in the table.
  package var traits: Traits { Self.rows[Int(rawValue / 100)] }

  /// The rows, indexed by the hundreds digit of Core Data's numbers. Created once, since they are used for every
  /// attribute that is read.
  private static let rows: [Traits] = {
    let last = (allCases.map(\.rawValue).max() ?? 0) / 100
    return (0...last).map { (NSAttributeType(rawValue: $0 * 100) ?? .undefinedAttributeType).row }
  }()

  /// The types by their names in sources.
  package static let bySourceName = Dictionary(
    uniqueKeysWithValues: allCases.compactMap { type in
      type.traits.sourceName.map { ($0, type) }
    })

  private var row: Traits {
    switch self {
    case .undefinedAttributeType:
      Traits(.undefined, "undefined", title: "Undefined", class: nil, swift: nil)
    case .integer16AttributeType:
      .number(.integer, "integer16", title: "Integer 16", scalar: ("Int16", "int16_t"))
    case .integer32AttributeType:
      .number(.integer, "integer32", title: "Integer 32", scalar: ("Int32", "int32_t"))
    case .integer64AttributeType:
      .number(.integer, "integer64", title: "Integer 64", scalar: ("Int64", "int64_t"))
    case .decimalAttributeType:
      Traits(
        .decimal, "decimal", title: "Decimal", class: "NSDecimalNumber", swift: "NSDecimalNumber")
    case .doubleAttributeType:
      .number(.real, "double", title: "Double", scalar: ("Double", "double"))
    case .floatAttributeType:
      .number(.real, "float", title: "Float", scalar: ("Float", "float"))
    case .stringAttributeType:
      Traits(.text, "string", title: "String", class: "NSString", swift: "String")
    case .booleanAttributeType:
      .number(.boolean, "boolean", title: "Boolean", scalar: ("Bool", "BOOL"))
    case .dateAttributeType:
      Traits(
        .date, "date", title: "Date", class: "NSDate", swift: "Date",
        scalar: ("TimeInterval", "NSTimeInterval"), prefersScalar: false)
    case .binaryDataAttributeType:
      Traits(
        .bytes, "binaryData", source: "Binary", title: "Binary Data", class: "NSData",
        swift: "Data")
    case .UUIDAttributeType:
      Traits(
        .uuid, "uuid", title: "UUID", class: "NSUUID", swift: "UUID", prefersScalar: false)
    case .URIAttributeType:
      Traits(.url, "uri", title: "URI", class: "NSURL", swift: "URL")
    case .transformableAttributeType:
      Traits(.transformable, "transformable", title: "Transformable", class: nil, swift: nil)
    case .objectIDAttributeType:
      Traits(
        .objectID, "objectID", source: "ObjectID", title: "Object ID", class: "NSManagedObjectID",
        swift: "NSManagedObjectID")
    case .compositeAttributeType:
      Traits(
        .composite, "composite", title: "Composite", class: "NSDictionary",
        swift: "[String: Any]")
    }
  }

  /// The name of the class whose instances are values of the type; `nil` if the type doesn't determine it.
  package var standardValueClassName: String? { traits.valueClassName }

  /// The type's name for messages, which is its name in sources.
  package var label: String { traits.sourceName ?? traits.title }

  /// Whether the type's values are integers.
  var isInteger: Bool { traits.kind == .integer }

  /// Whether the type's values are numbers, not including Booleans.
  package var isNumeric: Bool { [.integer, .decimal, .real].contains(traits.kind) }
}
