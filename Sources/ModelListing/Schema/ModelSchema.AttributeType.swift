extension ModelSchema {
  /// An attribute's type: Core Data's number, with the name Swift gives it.
  ///
  /// In JSON a type is its name; a number that Core Data does not define is kept as that number.
  public struct AttributeType: RawRepresentable, Hashable, Sendable {
    /// Core Data's number of the type.
    public var rawValue: Int

    /// Makes a type of Core Data's number for it.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Makes a type of the name Swift gives it, such as `integer16`.
    public init?(name: String) {
      guard let row = Self.rows.first(where: { $0.name == name }) else { return nil }
      rawValue = row.code
    }

    /// The name Swift gives the type; `nil` for a number that Core Data does not define.
    public var name: String? {
      Self.rows.first { $0.code == rawValue }?.name
    }

    /// The type as Xcode's editor names it, such as `Integer 16`.
    public var title: String {
      Self.rows.first { $0.code == rawValue }?.title ?? "type \(rawValue)"
    }

    /// The class of the values that goes with the type.
    public var usualValueClassName: String? {
      Self.rows.first { $0.code == rawValue }?.valueClass
    }

    private static let rows: [(code: Int, name: String, title: String, valueClass: String?)] = [
      (0, "undefined", "Undefined", nil),
      (100, "integer16", "Integer 16", "NSNumber"),
      (200, "integer32", "Integer 32", "NSNumber"),
      (300, "integer64", "Integer 64", "NSNumber"),
      (400, "decimal", "Decimal", "NSDecimalNumber"),
      (500, "double", "Double", "NSNumber"),
      (600, "float", "Float", "NSNumber"),
      (700, "string", "String", "NSString"),
      (800, "boolean", "Boolean", "NSNumber"),
      (900, "date", "Date", "NSDate"),
      (1000, "binaryData", "Binary Data", "NSData"),
      (1100, "uuid", "UUID", "NSUUID"),
      (1200, "uri", "URI", "NSURL"),
      (1800, "transformable", "Transformable", nil),
      (2000, "objectID", "Object ID", "NSManagedObjectID"),
      (2100, "composite", "Composite", "NSDictionary"),
    ]
  }
}

extension ModelSchema.AttributeType: Codable {
  /// Reads a type from its name or its number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let code = try? container.decode(Int.self) {
      self.init(rawValue: code)
      return
    }
    let name = try container.decode(String.self)
    guard let type = Self(name: name) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no attribute type is called '\(name)'")
    }
    self = type
  }

  /// Writes a type as its name, or as its number where it has none.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let name {
      try container.encode(name)
    } else {
      try container.encode(rawValue)
    }
  }
}
