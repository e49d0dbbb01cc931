/// The additions to and removals from a row's to-many relationship in a save.
///
/// If the inverse is a to-one relationship and there is no order, the members' own rows contain the whole change: the
/// lists are empty then, and this value only records that an existing row's relationship changed.
@_spi(Engines) public struct MemberChange {
  /// The row that has the relationship.
  public let owner: RowChange
  /// The relationship.
  public let property: PropertyLayout
  /// The added members, in order.
  public let added: [NSManagedObjectID]
  /// The removed members. Some may never have had a row.
  public let removed: [NSManagedObjectID]
  /// All members in order, if the relationship is ordered, was loaded, and more was done to it than adding members at
  /// the end; otherwise nil, and added members go after the existing ones.
  public let order: [NSManagedObjectID]?

  /// Creates a change, for testing engines with rows alone.
  public init(
    owner: RowChange, property: PropertyLayout, added: [NSManagedObjectID],
    removed: [NSManagedObjectID], order: [NSManagedObjectID]?
  ) {
    (self.owner, self.property) = (owner, property)
    (self.added, self.removed, self.order) = (added, removed, order)
  }
}
