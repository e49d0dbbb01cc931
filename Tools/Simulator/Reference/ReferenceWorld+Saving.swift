/// Saving.
extension ReferenceWorld {
  mutating func save(_ c: Int) throws -> Expectation {
    guard contexts[c].hasChanges else { return .done }
    try settle(c)
    try requireNoDangling(c)
    let codes = try validationErrors(c)
    if let first = codes.first { return .fails(codes.count == 1 ? first : ErrorCode.multiple) }
    guard contexts[c].plan.parent == nil else { throw Undecided("child contexts") }
    if let code = try resolveVersions(c) { return .fails(code) }
    if let code = try resolveConstraints(c) { return .fails(code) }
    write(c)
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
      let count = try readMembers(c, name, relationship).count
      if count == 0, relationship.isOptional { continue }
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

  private mutating func write(_ c: Int) {
    var saved = SavedNames()
    for name in contexts[c].names(\.isDeleted) {
      store.delete(name)
      contexts[c].objects[name] = nil
      saved.deleted.append(name)
    }
    let changed = contexts[c].names { $0.isInserted || $0.isUpdated }
    for name in changed {
      guard let object = contexts[c].objects[name] else { continue }
      if object.isInserted { saved.inserted.append(name) } else { saved.updated.append(name) }
      var row = StoredRow(entity: object.entity, version: store.rows[name]?.version ?? 0)
      row.attributes = object.attributes.filter { key, _ in isStored(key, object.entity) }
      row.toOnes = object.toOnes
      if object.differsFromRow(persistentOnly: { isStored($0, object.entity) }) { row.version += 1 }
      store.rows[name] = row
    }
    for name in changed { writeMembers(c, name) }
    for name in changed {
      guard var object = contexts[c].objects[name] else { continue }
      (object.isInserted, object.isUpdated) = (false, false)
      var stored = store.rows[name]
      stored?.attributes = object.attributes
      object.stored = stored
      for key in object.toManys.keys { object.toManys[key]?.commit() }
      contexts[c].objects[name] = object
    }
    contexts[c].lastSave = saved
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
