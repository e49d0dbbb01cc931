import DataModels

extension ModelSchema {
  /// An attribute's type, identified by Core Data's number and its name in Swift.
  ///
  /// In JSON a type is represented by its name, or by its number if Core Data does not define that number.
  public struct AttributeType: RawRepresentable, Hashable, Sendable {
    /// Core Data's number for the type.
    public var rawValue: Int

    /// Creates a type from Core Data's number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Creates a type from its name in Swift, such as `integer16`.
    public init?(name: String) {
      guard let type = NSAttributeType.allCases.first(where: { $0.traits.name == name }) else {
        return nil
      }
      rawValue = Int(type.rawValue)
    }

    /// The type's name in Swift; `nil` for a number that Core Data does not define.
    public var name: String? { traits?.name }

    /// The type's name in Xcode's editor, such as `Integer 16`.
    public var title: String { traits?.title ?? "type \(rawValue)" }

    /// The default class of the values.
    public var usualValueClassName: String? { traits?.valueClassName }

    private var traits: NSAttributeType.Traits? {
      UInt(exactly: rawValue).flatMap(NSAttributeType.init(rawValue:))?.traits
    }
  }
}

extension ModelSchema.AttributeType: Codable {
  /// Decodes a type from its name or its number.
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

  /// Encodes a type as its name, or as its number if it has no name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let name {
      try container.encode(name)
    } else {
      try container.encode(rawValue)
    }
  }
}
