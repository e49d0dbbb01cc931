/// Programs as readable text.
extension Program {
  var text: String {
    let entities = model.entities.map(\.text).joined(separator: "\n")
    let contexts = setup.contexts.enumerated().map { "let c\($0) = Context(\($1.text))" }
    let head =
      setup.coordinatorCount > 1 || setup.keepsHistory || setup.isInMemory || setup.isOnServer
      ? [
        "// \(setup.coordinatorCount) coordinators" + (setup.keepsHistory ? ", history" : "")
          + (setup.isInMemory ? ", " + (setup.wholeFile?.rawValue ?? "in memory") : "")
          + (setup.isOnServer ? ", on a server" : "")
      ] : []
    let rules =
      (isOpen ? ["// open: only what always holds is checked"] : [])
      + [customs?.text].compactMap { $0 }
    let lines = rules + head + contexts + operations.map(\.text)
    return entities + "\n\n" + lines.joined(separator: "\n")
  }
}

extension EntityPlan {
  var text: String {
    let head =
      (isAbstract ? "abstract " : "") + "entity \(name)" + (parent.map { ": \($0)" } ?? "")
      + (store > 0 ? " in store \(store)" : "")
    let lines =
      attributes.filter { $0.name != ModelPlan.serial }.map(\.text) + relationships.map(\.text)
      + constraints.map { "unique \($0.joined(separator: ", "))" }
      + (stamp.map { ["class that stamps \($0)"] } ?? [])
    return ([head] + lines.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension AttributePlan {
  var text: String {
    if let counted { return "derived \(name) = count(\(counted))" }
    return (isTransient ? "transient " : "") + "\(name): \(kind)" + (isOptional ? "?" : "")
      + (defaultValue.map { " = \($0)" } ?? "") + (most.map { " at most \($0)" } ?? "")
  }
}

extension RelationshipPlan {
  var text: String {
    let type = isToMany ? isOrdered ? "ordered [\(destination)]" : "[\(destination)]" : destination
    let limits = minimum > 0 || maximum > 0 ? " \(minimum)…\(maximum)" : ""
    return "\(name): \(type)\(isOptional ? "?" : "")\(limits)"
      + (inverse.map { " inverse \($0)" } ?? "") + (rule == .nullify ? "" : " delete \(rule)")
  }
}

extension ContextPlan {
  fileprivate var text: String {
    var parts: [String] = []
    if let parent { parts.append("parent: c\(parent)") }
    if coordinator > 0 { parts.append("coordinator: \(coordinator)") }
    if policy != .error { parts.append("policy: .\(policy)") }
    if ownsPolicy { parts.append("policy of its own class") }
    if isPrivate { parts.append("private") }
    if mergesAutomatically { parts.append("merges automatically") }
    if undoes { parts.append("undo") }
    if isRemote { parts.append("another process") }
    parts += watches.map { "controller of \($0.text)" }
    return parts.joined(separator: ", ")
  }
}

extension Operation {
  var text: String {
    switch self {
    case .insert(let c, let name, let entity, let values):
      let list = values.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
      return "let o\(name) = \(entity)(c\(c)\(list.map { ", \($0)" }.joined()))"
    case .set(let c, let name, let key, let value):
      return "c\(c).o\(name).\(key) = \(value.map(String.init) ?? "nil")"
    case .point(let c, let name, let key, let target):
      return "c\(c).o\(name).\(key) = \(target.map { "o\($0)" } ?? "nil")"
    case .add(let c, let name, let key, let member): return "c\(c).o\(name).\(key) += o\(member)"
    case .remove(let c, let name, let key, let member): return "c\(c).o\(name).\(key) -= o\(member)"
    case .replace(let c, let name, let key, let members):
      return "c\(c).o\(name).\(key) = [\(members.map { "o\($0)" }.joined(separator: ", "))]"
    case .delete(let c, let name): return "c\(c).delete(o\(name))"
    case .settle(let c): return "c\(c).processPendingChanges()"
    case .save(let c): return "c\(c).save()"
    case .rollback(let c): return "c\(c).rollback()"
    case .reset(let c): return "c\(c).reset()"
    case .refreshAll(let c): return "c\(c).refreshAllObjects()"
    case .refresh(let c, let name, let merging):
      return "c\(c).refresh(o\(name), mergeChanges: \(merging))"
    case .undo(let c): return "c\(c).undo()"
    case .redo(let c): return "c\(c).redo()"
    case .obtainIDs(let c): return "c\(c).obtainPermanentIDs()"
    case .merge(let source, let c): return "c\(c).mergeChanges(fromLastSaveOf: c\(source))"
    case .pin(let c): return "c\(c).pin()"
    case .unpin(let c): return "c\(c).unpin()"
    case .reopen(let c): return "c\(c).coordinator.reopenStores()"
    case .setMetadata(let c, let number): return "c\(c).coordinator.metadata = \(number)"
    case .evolve(let c, let evolution): return "c\(c).migrate(\(evolution.text))"
    case .look(let c): return "c\(c).look()"
    case .existing(let c, let name): return "c\(c).existingObject(o\(name))"
    case .fetch(let c, let plan): return "c\(c).fetch(\(plan.text))"
    case .select(let c, let plan): return "c\(c).select(\(plan.text))"
    case .batchInsert(let c, let entity, let rows, let merging):
      let list = rows.map { $0.sorted { $0.key < $1.key }.map { "\($0): \($1)" } }
      return "c\(c).batchInsert(\(entity), \(list)\(merging ? ", merging" : ""))"
    case .batchUpdate(let c, let entity, let condition, let key, let value, let merging):
      return "c\(c).batchUpdate(\(entity), \(key): \(value.map(String.init) ?? "nil")"
        + (condition.map { ", where: \($0.text)" } ?? "") + "\(merging ? ", merging" : ""))"
    case .batchDelete(let c, let entity, let condition, let merging):
      return "c\(c).batchDelete(\(entity)" + (condition.map { ", where: \($0.text)" } ?? "")
        + "\(merging ? ", merging" : ""))"
    case .rare(let c, let step): return "c\(c).\(step.text)"
    case .under(let fault, let operation): return "under \(fault) { \(operation.text) }"
    }
  }
}

extension FetchPlan {
  fileprivate var text: String {
    var parts = [result == .objects ? entity : "\(result) of \(entity)"]
    if !includesSubentities { parts.append("without subentities") }
    if let condition { parts.append("where: \(condition.text)") }
    parts += sorts.map { "by: \($0.attribute)\($0.isAscending ? "" : " descending")" }
    if limit > 0 { parts.append("limit: \(limit)") }
    if offset > 0 { parts.append("offset: \(offset)") }
    if !includesPending { parts.append("saved only") }
    if isAsynchronous { parts.append("asynchronous") }
    if let batchSize { parts.append("batches of \(batchSize)") }
    if let prefetches { parts.append("with: \(prefetches.joined(separator: ", "))") }
    if let areFaults { parts.append(areFaults ? "faults" : "no faults") }
    if let section { parts.append("sections by: \(section)") }
    return parts.joined(separator: ", ")
  }
}

extension Condition {
  var text: String {
    func object(_ name: ObjectName, _ byIdentity: Bool) -> String {
      "o\(name)" + (byIdentity ? ".objectID" : "")
    }
    switch self {
    case .attribute(let key, let comparison, let value):
      return "\(key) \(comparison.rawValue) \(value.map(String.init) ?? "nil")"
    case .extreme(let key, let comparison, let isGreatest):
      return "\(key) \(comparison.rawValue) \(isGreatest ? "max" : "min")(\(key))"
    case .oneOf(let key, let values): return "\(key) IN \(values)"
    case .destination(let key, let name, let byIdentity):
      return "\(key) == \(name.map { object($0, byIdentity) } ?? "nil")"
    case .through(let relationship, let key, let comparison, let value):
      return "\(relationship).\(key) \(comparison.rawValue) \(value)"
    case .anyMember(let key, let name, let byIdentity):
      return "ANY \(key) == \(object(name, byIdentity))"
    case .anyMemberAttribute(let relationship, let key, let comparison, let value):
      return "ANY \(relationship).\(key) \(comparison.rawValue) \(value)"
    case .memberCount(let key, let comparison, let count):
      return "\(key).@count \(comparison.rawValue) \(count)"
    case .object(let name, let byIdentity): return "SELF == \(object(name, byIdentity))"
    case .objects(let names, let byIdentity):
      return "SELF IN [\(names.map { object($0, byIdentity) }.joined(separator: ", "))]"
    case .not(let condition): return "NOT (\(condition.text))"
    case .all(let conditions):
      return "(" + conditions.map(\.text).joined(separator: " AND ") + ")"
    case .any(let conditions):
      return "(" + conditions.map(\.text).joined(separator: " OR ") + ")"
    }
  }
}
