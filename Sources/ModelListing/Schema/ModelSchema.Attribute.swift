extension ModelSchema {
  /// What attributes add to the properties' common part.
  public struct Attribute: Codable, Hashable, Sendable {
    /// The attribute's type.
    public var type: AttributeType

    /// The class of the values, where it is not the one that goes with the type.
    public var valueClassName: String?

    /// The name of the value transformer.
    public var valueTransformerName: String?

    /// The default value.
    public var defaultValue: Value?

    /// Whether large values may be kept in files of their own.
    public var allowsExternalBinaryDataStorage: Bool

    /// Whether the value is kept in the history of a deleted object.
    public var preservesValueInHistoryOnDeletion: Bool

    /// Whether the value is encrypted in CloudKit.
    public var allowsCloudEncryption: Bool

    /// How the value is derived; `nil` for attributes that are not derived.
    public var derivation: Derivation?

    /// The elements of a composite attribute, by name; `nil` for others.
    public var elements: [Property]?

    /// Creates the part of a property that attributes add.
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

  /// How a derived attribute's value comes about.
  public struct Derivation: Codable, Hashable, Sendable {
    /// The expression, as text.
    public var expression: String?

    /// The predicate that says which objects count, as text.
    public var filter: String?

    /// Creates a derivation.
    public init(expression: String?, filter: String? = nil) {
      self.expression = expression
      self.filter = filter
    }
  }

  /// A rule that a property's value must obey.
  public struct ValidationRule: Codable, Hashable, Sendable {
    /// The predicate, as text.
    public var predicate: String

    /// What is reported when the value breaks the rule: one of Core Data's error codes, or the
    /// developer's own message.
    public var warning: Value?

    /// Creates a rule.
    public init(predicate: String, warning: Value? = nil) {
      self.predicate = predicate
      self.warning = warning
    }
  }
}
