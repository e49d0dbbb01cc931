/// What a to-many relationship of a row gained and lost in a save.
///
/// Where the inverse is a to-one and there is no order, the members' own rows say it all: such a change has no
/// lists, and only tells that there was one, of a row that isn't new.
struct MemberChange {
  /// The row whose relationship it is.
  let owner: RowChange
  let property: PropertyLayout
  /// Members that came, in their order.
  let added: [NSManagedObjectID]
  /// Members that went. Some may never have had a row.
  let removed: [NSManagedObjectID]
  /// All members in their order, where the relationship has one and they were read; else what was added comes
  /// after whatever is there.
  let order: [NSManagedObjectID]?
}
