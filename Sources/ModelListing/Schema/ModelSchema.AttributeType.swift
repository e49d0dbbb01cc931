import DataModels

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
      guard let type = NSAttributeType.allCases.first(where: { $0.traits.name == name }) else {
        return nil
      }
      rawValue = Int(type.rawValue)
    }

    /// The name Swift gives the type; `nil` for a number that Core Data does not define.
    public var name: String? { traits?.name }

    /// The type as Xcode's editor names it, such as `Integer 16`.
    public var title: String { traits?.title ?? "type \(rawValue)" }

    /// The class of the values that goes with the type.
    public var usualValueClassName: String? { traits?.valueClassName }

    private var traits: NSAttributeType.Traits? {
      UInt(exactly: rawValue).flatMap(NSAttributeType.init(rawValue:))?.traits
    }
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
