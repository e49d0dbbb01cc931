/// What a to-many relationship of a row gained and lost in a save.
///
/// Where the inverse is a to-one and there is no order, the members' own rows say it all: such a change has no
/// lists, and only tells that there was one, of a row that isn't new.
@_spi(Engines) public struct MemberChange {
  /// The row whose relationship it is.
  public let owner: RowChange
  /// The relationship.
  public let property: PropertyLayout
  /// Members that came, in their order.
  public let added: [NSManagedObjectID]
  /// Members that went. Some may never have had a row.
  public let removed: [NSManagedObjectID]
  /// All members in their order, where the relationship has one and they were read; else what was added comes
  /// after whatever is there.
  public let order: [NSManagedObjectID]?

  /// Makes a change; for the trial of engines with rows alone.
  public init(
    owner: RowChange, property: PropertyLayout, added: [NSManagedObjectID],
    removed: [NSManagedObjectID], order: [NSManagedObjectID]?
  ) {
    (self.owner, self.property) = (owner, property)
    (self.added, self.removed, self.order) = (added, removed, order)
  }
}
