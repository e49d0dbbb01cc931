/// Saving.
extension ReferenceWorld {
  mutating func save(_ c: Int) throws -> Expectation {
    guard contexts[c].hasChanges else { return .done }
    if KnownGaps.savingNothing,
      contexts[c].objects.values.allSatisfy({ !$0.hasChanges || $0.isInserted && $0.isDeleted })
    {
      throw Undecided("only insertions that were deleted")
    }
    try settle(c)
    try requireNoDangling(c)
    let codes = try validationErrors(c)
    if let first = codes.first { return .fails(codes.count == 1 ? first : ErrorCode.multiple) }
    if let parent = contexts[c].plan.parent {
      try push(c, into: parent)
      return .done
    }
    if let code = try resolveVersions(c) { return .fails(code) }
    if let code = try resolveConstraints(c) { return .fails(code) }
    try requireKnownOrder(c)
    write(c)
    try mergeAutomatically(c)
    return .done
  }

  // MARK: Validation

  private mutating func validationErrors(_ c: Int) throws -> [Int] {
    var codes: [Int] = []
    for name in contexts[c].names(\.hasChanges) {
      guard let object = contexts[c].objects[name] else { continue }
      codes += try object.isDeleted ? denials(c, name, object) : faults(c, name, object)
    }
    return codes
  }

  private mutating func faults(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject
  ) throws -> [Int] {
    var codes: [Int] = []
    for attribute in model.attributes(of: object.entity)
    where !attribute.isOptional && object.attributes[attribute.name] == nil {
      codes.append(ErrorCode.missing)
    }
    for relationship in model.relationships(of: object.entity) {
      if !relationship.isToMany {
        let isMissing = !relationship.isOptional && object.toOnes[relationship.name] == nil
        if isMissing { codes.append(ErrorCode.missing) }
        continue
      }
      let members = members(c, name, relationship.name)
      guard object.isInserted || members.hasChanges else { continue }
      guard relationship.minimum > 0 || relationship.maximum > 0 || !relationship.isOptional else {
        continue
      }
      let count = try readMembers(c, name, relationship).count
      if count == 0, relationship.isOptional { continue }
      if KnownGaps.emptyMandatoryToManys, count == 0 { throw Undecided("an empty mandatory to-many") }
      if count < relationship.minimum { codes.append(ErrorCode.tooFew) }
      if relationship.maximum > 0, count > relationship.maximum { codes.append(ErrorCode.tooMany) }
    }
    return codes
  }

  private mutating func denials(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject
  ) throws -> [Int] {
    var codes: [Int] = []
    for relationship in model.relationships(of: object.entity) where relationship.rule == .deny {
      let targets =
        relationship.isToMany
        ? try readMembers(c, name, relationship)
        : object.toOnes[relationship.name].map { [$0] } ?? []
      if targets.contains(where: { contexts[c].objects[$0]?.isDeleted != true }) {
        codes.append(ErrorCode.denied)
      }
    }
    return codes
  }

  // MARK: Writing

  mutating func write(_ c: Int) {
    var saved = SavedNames()
    for name in contexts[c].names({ $0.isDeleted && !$0.isGone }) {
      store.delete(name)
      contexts[c].objects[name] = nil
      saved.deleted.append(name)
    }
    let changed = contexts[c].names { ($0.isInserted || $0.isUpdated) && !$0.isDeleted }
    for name in changed {
      guard let object = contexts[c].objects[name] else { continue }
      if object.isInserted { saved.inserted.append(name) } else { saved.updated.append(name) }
      guard object.isInserted || store.rows[name] != nil else { continue }
      var row = store.rows[name] ?? StoredRow(entity: object.entity, version: 0)
      if object.differsFromRow(persistentOnly: { isStored($0, object.entity) }) {
        row.attributes = object.attributes.filter { key, _ in isStored(key, object.entity) }
        row.toOnes = object.toOnes
        row.version += 1
      } else if writesJoins(object) {
        row.version += 1
      }
      store.rows[name] = row
    }
    for name in changed { writeMembers(c, name) }
    for name in changed {
      guard var object = contexts[c].objects[name] else { continue }
      (object.isInserted, object.isUpdated) = (false, false)
      // A row that wasn't written may have changed meanwhile: the object goes on with what it read.
      let isWritten =
        object.differsFromRow { isStored($0, object.entity) } || writesJoins(object)
      if isWritten || object.stored == nil { object.stored = store.rows[name] }
      object.stored?.attributes = object.attributes
      object.stored?.toOnes = object.toOnes
      for key in object.toManys.keys { object.toManys[key]?.commit() }
      contexts[c].objects[name] = object
    }
    contexts[c].lastSave = saved
    contexts[c].undo = UndoState()
    contexts[c].undo.last = contexts[c].objects
    if let number = metadata.set { metadata.saved = number }
    advance(c)
  }

  /// Makes the changes in the parent, where they wait for its own save.
  private mutating func push(_ c: Int, into parent: Int) throws {
    var saved = SavedNames()
    for name in contexts[c].names({ $0.hasChanges && !$0.isDeleted }) {
      guard let object = contexts[c].objects[name] else { continue }
      if object.isInserted {
        var copy = object
        for key in copy.toManys.keys { copy.toManys[key]?.stored = [] }
        contexts[parent].objects[name] = copy
        saved.inserted.append(name)
      } else {
        try push(object, name, into: parent)
        saved.updated.append(name)
      }
    }
    for name in contexts[c].names({ $0.isDeleted && !$0.isGone }) {
      if try load(parent, name), contexts[parent].objects[name]?.isDeleted == false {
        contexts[parent].objects[name]?.isDeleted = true
      }
      contexts[c].objects[name] = nil
      saved.deleted.append(name)
    }
    try settle(parent)
    for name in saved.inserted + saved.updated {
      guard var object = contexts[c].objects[name] else { continue }
      (object.isInserted, object.isUpdated) = (false, false)
      object.stored = try row(c, name)
      for key in object.toManys.keys { object.toManys[key]?.commit() }
      contexts[c].objects[name] = object
    }
    contexts[c].lastSave = saved
  }

  private mutating func push(
    _ object: ReferenceObject, _ name: ObjectName, into parent: Int
  ) throws {
    let present = try self.object(parent, name)
    guard let stored = object.stored, present.attributes == stored.attributes,
      present.toOnes == stored.toOnes
    else { throw Undecided("parent and child changed one object") }
    var lists: [String: Members] = [:]
    for (key, members) in object.toManys where members.hasChanges {
      guard let relationship = model.relationship(key) else { continue }
      let before = try readMembers(parent, name, relationship)
      guard !members.isRead || Set(before) == Set(members.stored) else {
        throw Undecided("parent and child changed one relationship")
      }
      var list = self.members(parent, name, key)
      if members.isRead {
        list.now = members.now
      } else {
        for member in members.removed { list.remove(member) }
        for member in members.added { list.append(member) }
      }
      lists[key] = list
    }
    try change(parent, name) { copy in
      (copy.attributes, copy.toOnes) = (object.attributes, object.toOnes)
      copy.toManys.merge(lists) { _, pushed in pushed }
    }
  }

  /// That nobody else changed an order that is written: where whose members come then is left open.
  private func requireKnownOrder(_ c: Int) throws {
    for (name, object) in contexts[c].objects where !object.isInserted {
      for (key, members) in object.toManys where members.isRead && members.hasChanges {
        guard let relationship = model.relationship(key), relationship.isOrdered else { continue }
        guard store.members(name, relationship) == members.stored else {
          throw Undecided("two writers of one order")
        }
      }
    }
  }

  /// Whether an attribute has a column.
  func isStored(_ attribute: String, _ entity: String) -> Bool {
    model.attribute(attribute, of: entity)?.isTransient == false
  }

  private mutating func writeMembers(_ c: Int, _ name: ObjectName) {
    guard let object = contexts[c].objects[name] else { return }
    for relationship in model.relationships(of: object.entity) where relationship.isToMany {
      guard let members = object.toManys[relationship.name], members.hasChanges else { continue }
      let difference = members.difference
      // A relationship without inverse is kept in its members' rows.
      if relationship.inverse == nil { bump(difference.added + difference.removed, c) }
      for member in difference.removed { store.unlink(name, relationship, member) }
      for member in difference.added { store.link(name, relationship, member) }
      guard relationship.isOrdered else { continue }
      let order = store.members(name, relationship)
      let wanted =
        members.isRead ? members.now : order.filter { !members.added.contains($0) } + members.added
      store.setMembers(
        wanted.filter(order.contains) + order.filter { !wanted.contains($0) }, name, relationship)
    }
  }
}

extension ReferenceWorld {
  /// Rows get a new version, and the context's objects of them know it.
  private mutating func bump(_ names: [ObjectName], _ c: Int) {
    for name in names where store.rows[name] != nil {
      if let object = contexts[c].objects[name], object.hasChanges,
        object.differsFromRow(persistentOnly: { isStored($0, object.entity) })
          || writesJoins(object)
      {
        continue
      }
      let wasPresent = contexts[c].objects[name]?.stored?.version == store.rows[name]?.version
      store.rows[name]?.version += 1
      if wasPresent { contexts[c].objects[name]?.stored?.version += 1 }
    }
  }
}

/// The codes of errors that the reference expects.
enum ErrorCode {
  static let dangling = 1550
  static let multiple = 1560
  static let missing = 1570
  static let tooFew = 1580
  static let tooMany = 1590
  static let denied = 1600
  static let merge = 133020
  static let constraint = 133021
}

extension ReferenceObject {
  func differsFromRow(persistentOnly isStored: (String) -> Bool) -> Bool {
    guard let stored else { return true }
    return toOnes != stored.toOnes
      || attributes.filter { isStored($0.key) } != stored.attributes.filter { isStored($0.key) }
  }
}
