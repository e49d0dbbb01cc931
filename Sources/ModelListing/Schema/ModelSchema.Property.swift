extension ModelSchema {
  /// One property of an entity.
  ///
  /// In JSON a property is one flat object: what all properties have, its `kind`, and what its
  /// kind adds.
  @dynamicMemberLookup
  public struct Property: Hashable, Sendable {
    /// What properties of every kind have.
    public var common: Common

    /// What the property's kind adds.
    public var detail: Detail

    /// Creates a property.
    public init(_ common: Common, _ detail: Detail) {
      self.common = common
      self.detail = detail
    }

    /// Reads a field that properties of every kind have.
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
  /// The kinds of properties, spelled as they stand in JSON.
  public enum Kind: String, Codable, Hashable, Sendable {
    case attribute, derivedAttribute, compositeAttribute, relationship, fetchedProperty
    case expression
  }

  /// What a property's kind adds to what all properties have.
  public enum Detail: Hashable, Sendable {
    /// An attribute, plain, derived or composite.
    case attribute(ModelSchema.Attribute)
    /// A relationship.
    case relationship(ModelSchema.Relationship)
    /// A fetched property.
    case fetchedProperty(ModelSchema.FetchedProperty)
    /// An expression, as an index or a fetch request holds it.
    case expression(ModelSchema.ExpressionResult)
  }

  /// What properties of every kind have.
  public struct Common: Codable, Hashable, Sendable {
    /// The property's name.
    public var name: String
    /// Whether the property may be without a value.
    public var isOptional: Bool
    /// Whether the property is not stored.
    public var isTransient: Bool
    /// Whether the property can't be set.
    public var isReadOnly: Bool
    /// Whether the property is indexed in the older way, by itself.
    public var isIndexed: Bool
    /// Whether Spotlight indexes the property.
    public var isIndexedBySpotlight: Bool
    /// Whether the property is stored in the external record file.
    public var isStoredInExternalRecord: Bool
    /// What values are checked against, in the model's order.
    public var validation: [ModelSchema.ValidationRule]
    /// The renaming identifier, where it differs from the name.
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

  /// Reads a property from its flat form.
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

  /// Writes a property in its flat form.
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
