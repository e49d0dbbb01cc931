extension ModelSchema {
  /// The part of a property that is specific to relationships.
  public struct Relationship: Codable, Hashable, Sendable {
    /// The name of the destination entity.
    public var destination: String?

    /// The name of the inverse relationship.
    public var inverse: String?

    /// The effect on the related objects when the object is deleted.
    public var deleteRule: DeleteRule

    /// The minimum number of objects.
    public var minCount: Int

    /// The maximum number of objects; 0 for no limit, 1 for a to-one relationship.
    public var maxCount: Int

    /// Whether there may be more than one related object.
    public var isToMany: Bool

    /// Whether the related objects are ordered.
    public var isOrdered: Bool

    /// Creates the part of a property that is specific to relationships.
    public init(
      destination: String?, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
      minCount: Int = 0, maxCount: Int = 0, isOrdered: Bool = false
    ) {
      self.destination = destination
      self.inverse = inverse
      self.deleteRule = deleteRule
      self.minCount = minCount
      self.maxCount = maxCount
      self.isToMany = maxCount != 1
      self.isOrdered = isOrdered
    }
  }

  /// The effect on related objects when an object is deleted.
  public enum DeleteRule: String, Codable, Hashable, Sendable {
    case noAction, nullify, cascade, deny

    /// The rule, as a phrase.
    public var title: String {
      self == .noAction ? "no action" : rawValue
    }
  }
}
