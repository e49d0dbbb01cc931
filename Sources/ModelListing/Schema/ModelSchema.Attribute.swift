extension ModelSchema {
  /// The part of a property that is specific to attributes.
  public struct Attribute: Codable, Hashable, Sendable {
    /// The attribute's type.
    public var type: AttributeType

    /// The class of the values, if it is not the default for the type.
    public var valueClassName: String?

    /// The name of the value transformer.
    public var valueTransformerName: String?

    /// The default value.
    public var defaultValue: Value?

    /// Whether large values may be stored in separate files.
    public var allowsExternalBinaryDataStorage: Bool

    /// Whether persistent history keeps the value of a deleted object.
    public var preservesValueInHistoryOnDeletion: Bool

    /// Whether the value is encrypted in CloudKit.
    public var allowsCloudEncryption: Bool

    /// The derivation; `nil` for attributes that are not derived.
    public var derivation: Derivation?

    /// The elements of a composite attribute, sorted by name; `nil` for other attributes.
    public var elements: [Property]?

    /// Creates the attribute-specific part of a property.
    public init(
      type: AttributeType, valueClassName: String? = nil, valueTransformerName: String? = nil,
      defaultValue: Value? = nil, allowsExternalBinaryDataStorage: Bool = false,
      preservesValueInHistoryOnDeletion: Bool = false, allowsCloudEncryption: Bool = false,
      derivation: Derivation? = nil, elements: [Property]? = nil
    ) {
      self.type = type
      self.valueClassName = valueClassName
      self.valueTransformerName = valueTransformerName
      self.defaultValue = defaultValue
      self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
      self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
      self.allowsCloudEncryption = allowsCloudEncryption
      self.derivation = derivation
      self.elements = elements
    }
  }

  /// The derivation of a derived attribute.
  public struct Derivation: Codable, Hashable, Sendable {
    /// The expression, as text.
    public var expression: String?

    /// The predicate for the objects to include, as text.
    public var filter: String?

    /// Creates a derivation.
    public init(expression: String?, filter: String? = nil) {
      self.expression = expression
      self.filter = filter
    }
  }

  /// A validation rule for a property's value.
  public struct ValidationRule: Codable, Hashable, Sendable {
    /// The predicate, as text.
    public var predicate: String

    /// The error when a value violates the rule: one of Core Data's error codes, or a custom message.
    public var warning: Value?

    /// Creates a rule.
    public init(predicate: String, warning: Value? = nil) {
      self.predicate = predicate
      self.warning = warning
    }
  }
}
