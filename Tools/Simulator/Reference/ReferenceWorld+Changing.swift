/// Changes of objects, and their effect on the other side of relationships.
extension ReferenceWorld {
  mutating func insert(
    _ c: Int, _ name: ObjectName, _ entity: String, _ values: [String: Int]
  ) throws -> Expectation {
    guard let plan = model.entity(entity), !plan.isAbstract else {
      throw Undecided(impossible: "no entity")
    }
    guard store.rows[name] == nil, !contexts.contains(where: { $0.objects[name] != nil }) else {
      throw Undecided(impossible: "the name is taken")
    }
    try requireAttributes(values, of: entity)
    var object = ReferenceObject(new: entity)
    for attribute in model.attributes(of: entity) {
      object.attributes[attribute.name] = values[attribute.name] ?? beginning(attribute, of: entity)
    }
    object.attributes[ModelPlan.serial] = name
    contexts[c].objects[name] = object
    return .done
  }

  /// Requires that an entity has the attributes to be set: a shrunk program may lack them.
  func requireAttributes(_ values: [String: Int], of entity: String) throws {
    guard values.keys.allSatisfy({ model.attribute($0, of: entity) != nil }) else {
      throw Undecided(impossible: "no such attribute")
    }
  }

  mutating func set(_ c: Int, _ name: ObjectName, _ key: String, _ value: Int?) throws {
    let object = try object(c, name)
    guard let attribute = model.attribute(key, of: object.entity), attribute.counted == nil else {
      throw Undecided(impossible: "no such attribute")
    }
    try change(c, name) { $0.attributes[key] = value }
  }

  mutating func point(_ c: Int, _ name: ObjectName, _ key: String, _ target: ObjectName?) throws {
    let object = try object(c, name)
    guard let relationship = model.relationship(key, of: object.entity), !relationship.isToMany
    else { throw Undecided(impossible: "no such relationship") }
    try requireFit(c, target.map { [$0] } ?? [], relationship)
    let old = object.toOnes[key]
    guard old != target else { return }
    try change(c, name) { $0.toOnes[key] = target }
    guard let inverse = model.inverse(of: relationship) else { return }
    if let old {
      try learn(c, old, of: name, inverse, isWritten: isChanged(c, name, key))
      try unlink(c, old, inverse, name)
      noteLed(c, name, to: old, relationship, inverse)
    }
    guard let target else { return }
    try learnOfLeaving(c, target, inverse, name)
    try link(c, target, inverse, name)
    // What was led elsewhere here may be as it was read now.
    guard !inverse.isToMany, target != name,
      contexts[c].objects[name].map({
        $0.toOnes[key] != $0.stored?.toOnes[key]
      }) == true
    else { return }
    try learnOfLeaving(c, target, inverse, name)
    try link(c, target, inverse, name)
  }

  /// Whether a to-one relationship differs from what was read.
  private func isChanged(_ c: Int, _ name: ObjectName, _ key: String) -> Bool {
    contexts[c].objects[name].map { $0.toOnes[key] != $0.stored?.toOnes[key] } ?? false
  }

  /// Reads a destination again of which only an old row leads back.
  private mutating func learnOfLeaving(
    _ c: Int, _ target: ObjectName, _ inverse: RelationshipPlan, _ source: ObjectName
  ) throws {
    guard target != source, isUnaware(c, target, ofLeaving: source, by: inverse) else { return }
    try refresh(c, target, merging: true)
    guard try load(c, target) else { throw Undecided("the destination is gone") }
  }

  mutating func add(_ c: Int, _ name: ObjectName, _ key: String, _ member: ObjectName) throws {
    let relationship = try toMany(c, name, key)
    try requireFit(c, [member], relationship)
    if isInMemory { try requireFree(c, member, relationship, besides: name) }
    if relationship.isOrdered { _ = try readMembers(c, name, relationship) }
    try readWhatComesBack(c, name, relationship, member)
    var members = members(c, name, key)
    guard !members.contains(member) else { return }
    // A relationship that isn't loaded may have the member already.
    let isPresent = try !members.isRead && presentMembers(c, name, relationship).contains(member)
    // Whether the object counts as changed then depends on what was read.
    if isPresent { throw Undecided("it is a member, unseen") }
    if isUnaware(c, member, ofLeaving: name, by: model.inverse(of: relationship)) {
      try refresh(c, member, merging: true)
      guard try load(c, member) else { throw Undecided("a member is gone") }
      _ = try readMembers(c, name, relationship)
      members = self.members(c, name, key)
    }
    members.append(member)
    try change(c, name) { $0.toManys[key] = members }
    guard let inverse = model.inverse(of: relationship), member != name || inverse.name != key
    else { return }
    try link(c, member, inverse, name)
  }

  /// Whether an object still leads to a former owner as far as is known here.
  private func isUnaware(
    _ c: Int, _ name: ObjectName, ofLeaving owner: ObjectName, by inverse: RelationshipPlan?
  ) -> Bool {
    guard let inverse, !inverse.isToMany, let object = contexts[c].objects[name],
      !object.isInserted
    else { return false }
    return object.toOnes[inverse.name] == owner && object.stored?.toOnes[inverse.name] == owner
  }

  mutating func remove(_ c: Int, _ name: ObjectName, _ key: String, _ member: ObjectName) throws {
    let relationship = try toMany(c, name, key)
    try requireFit(c, [member], relationship)
    guard try presentMembers(c, name, relationship).contains(member) else {
      throw Undecided("it isn't a member")
    }
    try readWhatLeavesAgain(c, name, relationship, member)
    var members = members(c, name, key)
    members.remove(member)
    try change(c, name) { $0.toManys[key] = members }
    guard let inverse = model.inverse(of: relationship), member != name || inverse.name != key
    else { return }
    try learn(c, member, of: name, inverse)
    try unlink(c, member, inverse, name)
  }

  mutating func replace(
    _ c: Int, _ name: ObjectName, _ key: String, _ targets: [ObjectName]
  ) throws {
    let relationship = try toMany(c, name, key)
    try requireFit(c, targets, relationship)
    if isInMemory {
      for target in targets { try requireFree(c, target, relationship, besides: name) }
    }
    let before = try readMembers(c, name, relationship)
    try change(c, name) { _ in }
    for member in before where !targets.contains(member) { try remove(c, name, key, member) }
    for member in targets { try add(c, name, key, member) }
    if relationship.isOrdered {
      contexts[c].objects[name]?.toManys[key]?.now = targets
    }
  }

  // MARK: The other side

  /// Adds `source` to the inverse relationship of its new destination.
  private mutating func link(
    _ c: Int, _ target: ObjectName, _ inverse: RelationshipPlan, _ source: ObjectName
  ) throws {
    let object = try object(c, target)
    if inverse.isToMany {
      var members = members(c, target, inverse.name)
      if inverse.isOrdered, !members.isRead, members.removed.contains(source) {
        throw Undecided("where it comes back to depends on whether its place was read")
      }
      try readWhatComesBack(c, target, inverse, source)
      members = self.members(c, target, inverse.name)
      if members.contains(source), !object.isDeleted, newlyLeads(c, source, to: target, inverse) {
        members.addAgain(source)
      } else {
        members.append(source)
      }
      return try change(c, target) { $0.toManys[inverse.name] = members }
    }
    let previous = object.toOnes[inverse.name]
    guard previous != source else { return }
    try change(c, target) { $0.toOnes[inverse.name] = source }
    if let previous, let back = model.inverse(of: inverse) {
      try learn(c, previous, of: target, back, isWritten: isChanged(c, target, inverse.name))
      try unlink(c, previous, back, target)
      noteLed(c, target, to: previous, inverse, back)
    }
  }

  /// Notes that an object's row leads to a former destination, as that one's newer row tells.
  private mutating func noteLed(
    _ c: Int, _ name: ObjectName, to former: ObjectName, _ relationship: RelationshipPlan,
    _ inverse: RelationshipPlan
  ) {
    guard !inverse.isToMany, former != name, !isChanged(c, name, relationship.name),
      let other = contexts[c].objects[former], !other.isInserted,
      contexts[c].objects[name]?.isInserted == false, other.stored?.toOnes[inverse.name] == name
    else { return }
    contexts[c].objects[name]?.stored?.toOnes[relationship.name] = former
  }

  /// Whether an object leads to another by a change. If that one has it already, this was read when it led there before.
  private func newlyLeads(
    _ c: Int, _ source: ObjectName, to target: ObjectName, _ inverse: RelationshipPlan
  ) -> Bool {
    guard let relationship = model.inverse(of: inverse) else { return false }
    guard relationship.isToMany else { return isChanged(c, source, relationship.name) }
    return members(c, source, relationship.name).difference.added.contains(target)
  }

  /// Removes `source` from the inverse relationship of its former destination.
  mutating func unlink(
    _ c: Int, _ target: ObjectName, _ inverse: RelationshipPlan, _ source: ObjectName
  ) throws {
    let object = try object(c, target)
    if inverse.isToMany {
      try readWhatLeavesAgain(c, target, inverse, source)
      var members = members(c, target, inverse.name)
      // A child may have taken a new object out of its parent's members already: no row says that it is one.
      let source = (name: source, object: contexts[c].objects[source])
      let hasNoRow = source.object?.isInserted == true && source.object?.isBack == false
      if members.isRead || members.contains(source.name) || !hasNoRow {
        members.remove(source.name)
      }
      return try change(c, target) { $0.toManys[inverse.name] = members }
    }
    guard object.toOnes[inverse.name] == source else { return }
    try change(c, target) { $0.toOnes[inverse.name] = nil }
  }

  // MARK: Members that change twice

  /// Reads members to which one comes back that has left them unread: it may not have been among them. Where changes can be
  /// undone, it may have been.
  private mutating func readWhatComesBack(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan, _ member: ObjectName
  ) throws {
    let members = members(c, name, relationship.name)
    let mayBeThere =
      contexts[c].plan.undoes && !isResolving && model.inverse(of: relationship)?.isToMany != false
      && contexts[c].objects[member]?.isInserted != true
    guard !members.isRead, mayBeThere || members.removed.contains(member) else { return }
    _ = try readMembers(c, name, relationship)
  }

  /// Reads members which one leaves that was added to them unread: it may have been among them before, unless it is new,
  /// or itself says to whom it belongs.
  private mutating func readWhatLeavesAgain(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan, _ member: ObjectName
  ) throws {
    let members = members(c, name, relationship.name)
    guard !members.isRead, members.added.contains(member),
      model.inverse(of: relationship)?.isToMany != false,
      contexts[c].objects[member]?.isInserted != true
    else { return }
    _ = try readMembers(c, name, relationship)
  }

  // MARK: Conditions

  private mutating func toMany(
    _ c: Int, _ name: ObjectName, _ key: String
  ) throws -> RelationshipPlan {
    let object = try object(c, name)
    guard let relationship = model.relationship(key, of: object.entity), relationship.isToMany
    else { throw Undecided(impossible: "no such relationship") }
    return relationship
  }

  /// The members that reading the relationship would give, without reading it.
  private func presentMembers(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan
  ) throws -> [ObjectName] {
    var copy = self
    return try copy.readMembers(c, name, relationship)
  }

  private mutating func requireFit(
    _ c: Int, _ targets: [ObjectName], _ relationship: RelationshipPlan
  ) throws {
    guard Set(targets).count == targets.count else {
      throw Undecided(impossible: "a member comes twice")
    }
    for target in targets {
      let object = try object(c, target)
      guard model.isKind(object.entity, of: relationship.destination) else {
        throw Undecided(impossible: "an object of another entity")
      }
    }
  }

  /// Requires that a member has no other owner in a relationship without inverse: how many owners there may be depends
  /// on the type of the store, and on the order in which conflicts are resolved.
  func requireFree(
    _ c: Int, _ member: ObjectName, _ relationship: RelationshipPlan, besides owner: ObjectName
  ) throws {
    guard relationship.inverse == nil else { return }
    if let stored = store.owner(of: member, relationship), stored != owner {
      throw Undecided("two owners of one member")
    }
    for context in contexts {
      for (name, object) in context.objects where name != owner {
        guard let members = object.toManys[relationship.name] else { continue }
        if members.contains(member) || members.removed.contains(member)
          || members.stored.contains(member)
        {
          throw Undecided("two owners of one member")
        }
      }
    }
  }
}
