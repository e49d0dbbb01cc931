extension ModelSchema {
  /// What relationships add to the properties' common part.
  public struct Relationship: Codable, Hashable, Sendable {
    /// The name of the entity it leads to.
    public var destination: String?

    /// The name of the inverse relationship of that entity.
    public var inverse: String?

    /// What happens to the objects it leads to when its own object is deleted.
    public var deleteRule: DeleteRule

    /// The least number of objects.
    public var minCount: Int

    /// The greatest number of objects; 0 for any number, 1 for a to-one relationship.
    public var maxCount: Int

    /// Whether it leads to more than one object.
    public var isToMany: Bool

    /// Whether the objects have an order.
    public var isOrdered: Bool

    /// Creates the part of a property that relationships add.
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

  /// What happens to the objects a relationship leads to when its own object is deleted.
  public enum DeleteRule: String, Codable, Hashable, Sendable {
    case noAction, nullify, cascade, deny

    /// The rule as a sentence about deletion ends.
    public var title: String {
      self == .noAction ? "no action" : rawValue
    }
  }
}
