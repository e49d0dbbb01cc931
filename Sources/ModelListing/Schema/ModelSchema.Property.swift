extension ModelSchema {
  /// A property of an entity.
  ///
  /// In JSON a property is one flat object with the common fields, its `kind`, and the fields specific to its kind.
  @dynamicMemberLookup
  public struct Property: Hashable, Sendable {
    /// The fields common to all kinds of properties.
    public var common: Common

    /// The fields specific to the property's kind.
    public var detail: Detail

    /// Creates a property.
    public init(_ common: Common, _ detail: Detail) {
      self.common = common
      self.detail = detail
    }

    /// Accesses a field common to all kinds of properties.
    public subscript<Field>(dynamicMember path: KeyPath<Common, Field>) -> Field {
      common[keyPath: path]
    }

    /// The property's kind.
    public var kind: Kind {
      switch detail {
      case .attribute(let attribute):
        if attribute.derivation != nil { return .derivedAttribute }
        return attribute.elements == nil ? .attribute : .compositeAttribute
      case .relationship: return .relationship
      case .fetchedProperty: return .fetchedProperty
      case .expression: return .expression
      }
    }
  }
}

extension ModelSchema.Property {
  /// The kinds of properties, named as in JSON.
  public enum Kind: String, Codable, Hashable, Sendable {
    case attribute, derivedAttribute, compositeAttribute, relationship, fetchedProperty
    case expression
  }

  /// The fields specific to a kind of property.
  public enum Detail: Hashable, Sendable {
    /// An attribute: plain, derived or composite.
    case attribute(ModelSchema.Attribute)
    /// A relationship.
    case relationship(ModelSchema.Relationship)
    /// A fetched property.
    case fetchedProperty(ModelSchema.FetchedProperty)
    /// An expression in an index or a fetch request.
    case expression(ModelSchema.ExpressionResult)
  }

  /// The fields common to all kinds of properties.
  public struct Common: Codable, Hashable, Sendable {
    /// The property's name.
    public var name: String
    /// Whether the value may be missing.
    public var isOptional: Bool
    /// Whether the property is not stored.
    public var isTransient: Bool
    /// Whether the property can't be set.
    public var isReadOnly: Bool
    /// Whether the property is marked as indexed in the older way.
    public var isIndexed: Bool
    /// Whether Spotlight indexes the property.
    public var isIndexedBySpotlight: Bool
    /// Whether the property is stored in the external record file.
    public var isStoredInExternalRecord: Bool
    /// The validation rules, in model order.
    public var validation: [ModelSchema.ValidationRule]
    /// The renaming identifier, if it differs from the name.
    public var renamingIdentifier: String?
    /// The version hash modifier.
    public var versionHashModifier: String?
    /// The user info, by key.
    public var userInfo: [String: ModelSchema.Value]

    /// Creates the common part of a property.
    public init(
      name: String, isOptional: Bool = true, isTransient: Bool = false, isReadOnly: Bool = false,
      isIndexed: Bool = false, isIndexedBySpotlight: Bool = false,
      isStoredInExternalRecord: Bool = false, validation: [ModelSchema.ValidationRule] = [],
      renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
      userInfo: [String: ModelSchema.Value] = [:]
    ) {
      self.name = name
      self.isOptional = isOptional
      self.isTransient = isTransient
      self.isReadOnly = isReadOnly
      self.isIndexed = isIndexed
      self.isIndexedBySpotlight = isIndexedBySpotlight
      self.isStoredInExternalRecord = isStoredInExternalRecord
      self.validation = validation
      self.renamingIdentifier = renamingIdentifier
      self.versionHashModifier = versionHashModifier
      self.userInfo = userInfo
    }
  }
}

extension ModelSchema.Property: Codable {
  private enum CodingKeys: String, CodingKey { case kind }

  /// Decodes a property from its flat form.
  public init(from decoder: any Decoder) throws {
    let kind = try decoder.container(keyedBy: CodingKeys.self).decode(Kind.self, forKey: .kind)
    common = try Common(from: decoder)
    switch kind {
    case .attribute, .derivedAttribute, .compositeAttribute:
      detail = .attribute(try ModelSchema.Attribute(from: decoder))
    case .relationship:
      detail = .relationship(try ModelSchema.Relationship(from: decoder))
    case .fetchedProperty:
      detail = .fetchedProperty(try ModelSchema.FetchedProperty(from: decoder))
    case .expression:
      detail = .expression(try ModelSchema.ExpressionResult(from: decoder))
    }
  }

  /// Encodes a property in its flat form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try common.encode(to: encoder)
    switch detail {
    case .attribute(let attribute): try attribute.encode(to: encoder)
    case .relationship(let relationship): try relationship.encode(to: encoder)
    case .fetchedProperty(let fetched): try fetched.encode(to: encoder)
    case .expression(let expression): try expression.encode(to: encoder)
    }
  }
}
