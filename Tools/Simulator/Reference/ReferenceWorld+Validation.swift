/// Validation of objects before they are saved.
extension ReferenceWorld {
  /// The error codes of all violations.
  mutating func validationErrors(_ c: Int) throws -> [Int] {
    var codes: [Int] = []
    for name in contexts[c].names(\.hasChanges) {
      guard let object = contexts[c].objects[name] else { continue }
      codes += try object.isDeleted ? denials(c, name, object) : faults(c, name, object)
    }
    return codes
  }

  /// Throws `Undecided` if it is unspecified whether an invalid object is saved: after an undo, an unchanged object may
  /// or may not count as changed, and is validated if it does.
  func requireKnownChanges(_ c: Int) throws {
    guard contexts[c].undo.makesFlagsVague else { return }
    for (name, object) in contexts[c].objects where !object.isFault && !object.differs {
      guard try object.isGone || copied({ try $0.faults(c, name, object) }).isEmpty else {
        throw Undecided("whether an object counts as changed after an undo")
      }
    }
  }

  private mutating func faults(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject
  ) throws -> [Int] {
    var codes: [Int] = []
    for attribute in model.attributes(of: object.entity)
    where !attribute.isOptional && object.attributes[attribute.name] == nil {
      codes.append(ErrorCode.missing)
    }
    for attribute in model.attributes(of: object.entity) {
      guard let most = attribute.most, let number = object.attributes[attribute.name],
        number > most
      else { continue }
      codes.append(ErrorCode.invalid)
    }
    for relationship in model.relationships(of: object.entity) {
      if !relationship.isToMany {
        let isMissing = !relationship.isOptional && object.toOnes[relationship.name] == nil
        if isMissing { codes.append(ErrorCode.missing) }
        continue
      }
      let members = members(c, name, relationship.name)
      guard object.isInserted || members.hasChanges else { continue }
      guard relationship.minimum > 0 || relationship.maximum > 0 else { continue }
      let count = try readMembers(c, name, relationship).count
      if count == 0, relationship.isOptional { continue }
      if count < relationship.minimum { codes.append(ErrorCode.tooFew) }
      if relationship.maximum > 0, count > relationship.maximum { codes.append(ErrorCode.tooMany) }
    }
    return codes
  }

  /// Whether the destination that a relationship had when it was read isn't registered in the context.
  private func isUnseenGap(
    _ c: Int, _ target: ObjectName, _ object: ReferenceObject, _ relationship: RelationshipPlan
  ) -> Bool {
    contexts[c].objects[target] == nil
      && (object.stored?.toOnes[relationship.name] == target
        || object.toManys[relationship.name]?.stored.contains(target) == true)
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
      let gaps = try targets.filter { try isEmptyFault(c, $0) }
      if try targets.contains(where: { try !gaps.contains($0) && isThere(c, $0) }) {
        codes.append(ErrorCode.denied)
      } else if !gaps.isEmpty
        || targets.contains(where: { isUnseenGap(c, $0, object, relationship) })
      {
        throw Undecided("whether a denial looks for the rows of faults")
      }
    }
    return codes
  }

  /// Whether a context has a fault of an object whose row is deleted.
  private func isEmptyFault(_ c: Int, _ name: ObjectName) throws -> Bool {
    guard let known = contexts[c].objects[name], known.isFault, !known.isDeleted else {
      return false
    }
    return try copied { try $0.row(c, name) } == nil
  }
}
