/// The contents of the files according to the specification: rows, and the members of relationships that aren't stored
/// in the rows themselves.
struct ReferenceStore: Equatable {
  var model: ModelPlan
  var rows: [ObjectName: StoredRow] = [:]
  /// Objects whose rows were deleted.
  private(set) var gone: Set<ObjectName> = []
  /// Rows whose version is unknown, because writing their position in an order may have incremented it: which positions
  /// are written isn't specified. The next look at the files tells.
  var uncertain: Set<ObjectName> = []
  /// The members of many-to-many relationships and of those without inverse; for other ordered relationships, the order
  /// of the members.
  private(set) var lists: [MemberList: [ObjectName]] = [:]

  init(model: ModelPlan) { self.model = model }

  /// The members of a to-many relationship, in its order or sorted by name.
  func members(_ owner: ObjectName, _ relationship: RelationshipPlan) -> [ObjectName] {
    let list = lists[MemberList(owner: owner, relationship: relationship.name)] ?? []
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany else {
      return relationship.isOrdered ? list : list.sorted()
    }
    let members = rows.filter { $0.value.toOnes[inverse.name] == owner }.keys.sorted()
    guard relationship.isOrdered else { return members }
    return list.filter(members.contains) + members.filter { !list.contains($0) }
  }

  mutating func setMembers(
    _ members: [ObjectName], _ owner: ObjectName, _ relationship: RelationshipPlan
  ) {
    lists[MemberList(owner: owner, relationship: relationship.name)] =
      members.isEmpty ? nil : members
  }

  /// Adds a member, and its owner on the other side, if the rows don't store the relationship.
  mutating func link(_ owner: ObjectName, _ relationship: RelationshipPlan, _ member: ObjectName) {
    let inverse = model.inverse(of: relationship)
    if let inverse, !inverse.isToMany { return }
    append(member, to: MemberList(owner: owner, relationship: relationship.name))
    if let inverse { append(owner, to: MemberList(owner: member, relationship: inverse.name)) }
  }

  mutating func unlink(_ owner: ObjectName, _ relationship: RelationshipPlan, _ member: ObjectName)
  {
    let inverse = model.inverse(of: relationship)
    if let inverse, !inverse.isToMany { return }
    remove(member, from: MemberList(owner: owner, relationship: relationship.name))
    if let inverse { remove(owner, from: MemberList(owner: member, relationship: inverse.name)) }
  }

  private mutating func append(_ member: ObjectName, to list: MemberList) {
    guard lists[list]?.contains(member) != true else { return }
    lists[list, default: []].append(member)
  }

  private mutating func remove(_ member: ObjectName, from list: MemberList) {
    lists[list]?.removeAll { $0 == member }
    if lists[list]?.isEmpty == true { lists[list] = nil }
  }

  /// Deletes a row and removes the object from all lists.
  mutating func delete(_ name: ObjectName) {
    if rows.removeValue(forKey: name) != nil { gone.insert(name) }
    for list in lists.keys {
      if list.owner == name { lists[list] = nil } else { remove(name, from: list) }
    }
  }

  /// Whether every member of a list has a row.
  var listsLeadToRows: Bool {
    lists.allSatisfy { list, members in
      rows[list.owner] != nil && members.allSatisfy { rows[$0] != nil }
    }
  }

  /// The owner of a member of a relationship without inverse.
  func owner(of member: ObjectName, _ relationship: RelationshipPlan) -> ObjectName? {
    lists.first { $0.key.relationship == relationship.name && $0.value.contains(member) }?.key.owner
  }
}

/// A row.
struct StoredRow: Equatable {
  var entity: String
  var version = 1
  var attributes: [String: Int] = [:]
  var toOnes: [String: ObjectName] = [:]
}

/// Identifies a list of members.
struct MemberList: Hashable {
  var owner: ObjectName
  var relationship: String
}
