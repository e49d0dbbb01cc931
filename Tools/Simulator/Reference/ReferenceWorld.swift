/// The simplest possible model of Core Data: rows, and what each context knows of them.
///
/// It is written from the specification, with value types, and shares no code with the library. As it is a value, an
/// operation can be tried: one that turns out to be undecided leaves the reference unchanged.
struct ReferenceWorld {
  private(set) var model: ModelPlan
  /// Whether the stores are in memory: then no object is stored in the rows of others.
  let isInMemory: Bool
  /// Whether the stores are those of a server.
  let isOnServer: Bool
  /// Whether a comparison with a missing value is neither true nor false, as in SQL.
  let nilIsUnknown: Bool
  var store: ReferenceStore
  /// Objects that were replaced by others because of their unique values.
  var replaced: Set<ObjectName> = []
  var contexts: [ReferenceContext]
  /// Whether batches changed rows without notifying the contexts of controllers.
  var hasUntoldChanges = false
  /// The context that saved last.
  var lastWriter: Int?
  /// The objects that contexts set to their rows because they merged the last save automatically.
  var setToLastSave: [Int: Set<ObjectName>] = [:]
  /// Whether a policy resolves conflicts, which isn't undone.
  var isResolving = false
  /// The number that the program stores in the stores' metadata: as it was set, and as it was saved.
  var metadata: (set: Int?, saved: Int?) = (nil, nil)

  init(_ program: Program) {
    model = program.model
    isOnServer = program.setup.isOnServer
    // Tables on servers have lists of members, too.
    isInMemory = program.setup.isInMemory || program.setup.isOnServer
    nilIsUnknown = !program.setup.isInMemory
    store = ReferenceStore(model: program.model)
    contexts = program.setup.contexts.map { ReferenceContext(plan: $0) }
  }

  /// Continues with another model.
  mutating func take(_ model: ModelPlan) { (self.model, store.model) = (model, model) }

  /// Performs an operation and returns the expected result.
  mutating func apply(_ operation: Operation) -> Expectation {
    do { return try attempt(operation) } catch { return .skipped }
  }

  /// Applies an operation and returns its expected result.
  ///
  /// - Throws: ``Undecided`` if the result is unspecified; then the operation has no effect.
  mutating func attempt(_ operation: Operation) throws -> Expectation {
    guard contexts.indices.contains(operation.context) else {
      throw Undecided(impossible: "no such context")
    }
    let before = self
    do {
      return try perform(operation)
    } catch {
      self = before
      throw error
    }
  }

  private mutating func perform(_ operation: Operation) throws -> Expectation {
    try requireNames(operation)
    try requireOnlyOneObject(operation)
    switch operation {
    case .insert(let c, let name, let entity, let values):
      return try insert(c, name, entity, values)
    case .set(let c, let name, let key, let value): try set(c, name, key, value)
    case .point(let c, let name, let key, let target): try point(c, name, key, target)
    case .add(let c, let name, let key, let member): try add(c, name, key, member)
    case .remove(let c, let name, let key, let member): try remove(c, name, key, member)
    case .replace(let c, let name, let key, let members): try replace(c, name, key, members)
    case .delete(let c, let name): try delete(c, name)
    case .settle(let c): try settle(c)
    case .save(let c):
      let expectation = try save(c)
      if case .fails = expectation, contexts[c].generation == .next {
        throw Undecided("whether a failing save reads the state that is pinned")
      }
      return expectation
    case .rollback(let c): rollback(c)
    case .reset(let c):
      (contexts[c].objects, contexts[c].undo) = ([:], UndoState())
      // Controllers fetch again.
      if contexts.count == 1 { hasUntoldChanges = false }
      advance(c)
    case .pin(let c): try pin(c)
    case .unpin(let c):
      guard contexts[c].plan.parent == nil else {
        throw Undecided(impossible: "a child is never pinned")
      }
      contexts[c].generation = .newest
    case .reopen(let c): try reopen(c)
    case .setMetadata(let c, let number):
      // Which of two coordinators writes last isn't modeled.
      guard Set(contexts.map(\.plan.coordinator)) == [contexts[c].plan.coordinator] else {
        throw Undecided("two coordinators")
      }
      metadata.set = number
    case .evolve(_, let evolution): try evolve(evolution)
    case .undo(let c): try undo(c)
    case .redo(let c): try redo(c)
    case .merge(let source, let c): try merge(source, into: c)
    case .refreshAll(let c):
      guard contexts[c].generation != .next || contexts[c].names(\.isGone).isEmpty else {
        throw Undecided("whether looking for what is gone begins the state that is pinned")
      }
      guard contexts[c].names(\.isGone).allSatisfy({ store.rows[$0] == nil }) else {
        throw Undecided("the object of a row that is there again")
      }
      for name in contexts[c].names({ !$0.isGone }) { try refresh(c, name, merging: true) }
    case .refresh(let c, let name, let merging):
      // Naming an object loads its values first.
      if let known = contexts[c].objects[name], known.isFault, !known.isDeleted {
        guard try load(c, name) else { throw Undecided("a fault without a row") }
      }
      try refresh(c, name, merging: merging)
      guard
        try contexts[c].objects[name]?.isInserted == true || copied({ try $0.row(c, name) }) != nil
          || !contexts[c].objects.values.contains(where: { $0.hasChanges && $0.leads(to: name) })
      else { throw Undecided("a change leads to a fault whose row is gone") }
    case .look(let c): return .shows(try look(c))
    case .existing(let c, let name): return try existing(c, name)
    case .fetch(let c, let plan):
      let expectation = try fetch(c, plan)
      if plan.isAsynchronous {
        guard contexts[c].plan.isPrivate else {
          throw Undecided(impossible: "a context without a queue")
        }
        try settle(c)
      }
      return expectation
    case .select(let c, let plan): return try select(c, plan)
    case .under(let fault, let operation):
      guard fault.isKill || !operation.isSave || !stampsAgain(operation.context) else {
        throw Undecided("what a class stamps when a save is tried again")
      }
      return try perform(operation)
    case .batchInsert(let c, let entity, let rows, let merging):
      return try batchInsert(c, entity, rows, merging: merging)
    case .batchUpdate(let c, let entity, let condition, let key, let value, let merging):
      return try batchUpdate(c, entity, condition, key, value, merging: merging)
    case .batchDelete(let c, let entity, let condition, let merging):
      return try batchDelete(c, entity, condition, merging: merging)
    case .rare: throw Undecided("what comes of what programs rarely do")
    case .obtainIDs(let c):
      contexts[c].undo.isBlocked = true
      // Finding unused keys reads from the files.
      if contexts[c].objects.values.contains(where: { $0.isInserted && !$0.isDeleted }) {
        _ = read(root(of: c))
      }
    }
    return .done
  }

  /// Throws `Undecided` if a child has an object that its parent's save replaced by another one: it would have two
  /// objects for one row.
  private func requireOnlyOneObject(_ operation: Operation) throws {
    if case .reset = operation { return }
    let context = contexts[operation.context]
    guard context.plan.parent != nil else { return }
    for name in replaced
    where context.objects[name] != nil
      || context.objects.values.contains(where: { $0.leads(to: name) })
    {
      throw Undecided("two objects of one row")
    }
  }

  /// The context that reads the stores on behalf of another.
  private func root(of c: Int) -> Int {
    var root = c
    while let parent = contexts[root].plan.parent { root = parent }
    return root
  }

  // MARK: Objects

  /// An object's row as the context's parent has it.
  mutating func row(_ c: Int, _ name: ObjectName) throws -> StoredRow? {
    guard let parent = contexts[c].plan.parent else {
      let row = read(c).rows[name].map(withDefaults)
      if let row { try requireFiles(row, name, c) }
      return row
    }
    // Objects that the parent only registers for a child aren't retained.
    guard let known = contexts[parent].objects[name] else { return try row(parent, name) }
    if known.isFault, try !load(parent, name) { return nil }
    guard let object = contexts[parent].objects[name], !object.isDeleted else { return nil }
    if let above = contexts[parent].plan.parent, !object.isInserted, store.rows[name] == nil,
      contexts[above].objects[name] == nil
    {
      throw Undecided("what the parent knows, its own parent has dropped")
    }
    return withDefaults(
      StoredRow(
        entity: object.entity, version: object.stored?.version ?? 0, attributes: object.attributes,
        toOnes: object.toOnes))
  }

  /// Throws `Undecided` if a row of an earlier state may have lost its external files: another process, which removes
  /// them, can't know that this state is still read.
  private func requireFiles(_ row: StoredRow, _ name: ObjectName, _ c: Int) throws {
    guard contexts[c].generation != .newest, contexts.contains(where: \.plan.isRemote) else {
      return
    }
    for attribute in model.attributes(of: row.entity)
    where attribute.kind == .external && !attribute.isTransient {
      let number = row.attributes[attribute.name]
      guard number == nil || number == store.rows[name]?.attributes[attribute.name] else {
        throw Undecided("whether an earlier state has files that another process has removed")
      }
    }
  }

  /// Adds the model's default values of attributes without a column.
  func withDefaults(_ row: StoredRow) -> StoredRow {
    var row = row
    for attribute in model.attributes(of: row.entity) where attribute.isTransient {
      row.attributes[attribute.name] = attribute.defaultValue
    }
    return row
  }

  /// Loads an object into a context; returns false if there is no such object.
  mutating func load(_ c: Int, _ name: ObjectName) throws -> Bool {
    if let known = contexts[c].objects[name], !known.isFault { return true }
    guard let row = try row(c, name) else { return false }
    if contexts[c].objects[name] == nil {
      contexts[c].objects[name] = ReferenceObject(row)
      contexts[c].objects[name]?.wasUnsaved = store.rows[name] == nil
    } else {
      contexts[c].objects[name]?.take(row)
    }
    return true
  }

  /// An object that may be changed.
  mutating func object(_ c: Int, _ name: ObjectName) throws -> ReferenceObject {
    guard try load(c, name), let object = contexts[c].objects[name] else {
      throw Undecided("there is no such object")
    }
    guard !object.isDeleted else { throw Undecided("a deleted object is changed") }
    return object
  }

  mutating func change(
    _ c: Int, _ name: ObjectName, _ body: (inout ReferenceObject) -> Void
  ) throws {
    _ = try object(c, name)
    guard var object = contexts[c].objects[name] else { return }
    object.touch()
    body(&object)
    contexts[c].objects[name] = object
  }

  /// The members of a relationship as far as they are known.
  func members(_ c: Int, _ name: ObjectName, _ key: String) -> Members {
    let object = contexts[c].objects[name]
    return object?.toManys[key]
      ?? Members(
        isOrdered: model.relationship(key)?.isOrdered == true, isRead: object?.isInserted == true)
  }

  /// Whether an unsaved change in the context gave a stored member another owner.
  private func leadsElsewhere(
    _ c: Int, _ member: ObjectName, from owner: ObjectName, _ relationship: RelationshipPlan
  ) -> Bool {
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany,
      let object = contexts[c].objects[member], !object.isFault
    else { return false }
    let target = object.toOnes[inverse.name]
    return target != owner && target != object.stored?.toOnes[inverse.name]
  }

  /// The members of a list that exist and have no other owner by an unsaved change.
  private func membersThatStay(
    _ c: Int, _ list: [ObjectName], of name: ObjectName, _ relationship: RelationshipPlan
  ) throws -> [ObjectName] {
    let removed = members(c, name, relationship.name).removed
    return try list.filter { member in
      let parent = contexts[c].plan.parent
      if let parent, contexts[parent].objects[member]?.isDeleted == true { return false }
      guard !removed.contains(member), leadsElsewhere(c, member, from: name, relationship) else {
        return true
      }
      guard contexts[c].objects[member]?.isDeleted == false else {
        throw Undecided("whether what is to be deleted leads where it was led before")
      }
      return false
    }
  }

  /// Throws `Undecided` if what a relationship has now differs from what was seen when it may have been read, or if a
  /// child read a destination's own side when the parent said something else.
  private func requireSameAsBefore(
    _ c: Int, _ list: [ObjectName], of name: ObjectName, _ relationship: RelationshipPlan
  ) throws {
    if let seen = contexts[c].objects[name]?.lastSeen[relationship.name],
      relationship.isOrdered ? seen != list : Set(seen) != Set(list)
    {
      throw Undecided("whether members that were read before are read again")
    }
    guard contexts[c].plan.parent != nil, let inverse = model.inverse(of: relationship),
      !inverse.isToMany
    else { return }
    for (member, object) in contexts[c].objects where !object.isFault && !object.isInserted {
      let target = object.toOnes[inverse.name]
      guard !object.isDeleted, target == object.stored?.toOnes[inverse.name] else { continue }
      guard list.contains(member) == (target == name) else {
        throw Undecided("two sides that a child has read at different times")
      }
    }
  }

  /// Throws `Undecided` if what was led to an object here is what another writer has led there, too.
  private func requireUnknown(
    _ c: Int, added: [ObjectName], stored: [ObjectName], of name: ObjectName,
    _ relationship: RelationshipPlan
  ) throws {
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany else { return }
    for member in added where stored.contains(member) {
      let object = contexts[c].objects[member]
      guard object?.toOnes[inverse.name] != object?.stored?.toOnes[inverse.name] else { continue }
      throw Undecided("whether what is so already counts as a change")
    }
  }

  /// The members of a relationship, read from the parent or the store if necessary.
  mutating func readMembers(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan
  ) throws -> [ObjectName] {
    var members = members(c, name, relationship.name)
    if !members.isRead {
      let (hadChanges, added) = (members.hasChanges, members.added)
      if let parent = contexts[c].plan.parent, contexts[parent].objects[name] == nil {
        var reader = self
        guard try reader.load(parent, name) else { throw Undecided("the parent's object is gone") }
        let list = try reader.readMembers(parent, name, relationship)
        try requireSameAsBefore(c, list, of: name, relationship)
        members.read(try membersThatStay(c, list, of: name, relationship))
      } else if let parent = contexts[c].plan.parent {
        guard try load(parent, name), contexts[parent].objects[name]?.isDeleted == false else {
          throw Undecided("the parent's object is gone, or about to be")
        }
        let list = try readMembers(parent, name, relationship)
        try requireSameAsBefore(c, list, of: name, relationship)
        members.read(try membersThatStay(c, list, of: name, relationship))
      } else {
        // A deletion doesn't take its object out of such a relationship once it is read.
        let keepsDeleted =
          (model.inverse(of: relationship)?.rule ?? .noAction) == .noAction && !store.gone.isEmpty
        if hasUntoldChanges || isInMemory && contexts.count > 1 || keepsDeleted,
          contexts[c].objects[name]?.maybeRead.contains(relationship.name) == true
        {
          throw Undecided("what a predicate may have read before others changed it")
        }
        let list = read(c).members(name, relationship)
        try requireSameAsBefore(c, list, of: name, relationship)
        members.read(try membersThatStay(c, list, of: name, relationship))
      }
      try requireUnknown(c, added: added, stored: members.stored, of: name, relationship)
      // A removed member may be deleted anyway; then reading shows that nothing changed, but this doesn't end an event.
      if hadChanges, !members.hasChanges { contexts[c].undo.isBlocked = true }
      for member in members.now {
        guard try load(c, member) else { throw Undecided("a member is gone") }
      }
      // What was taken out is read with the others.
      for member in members.difference.removed
      where contexts[c].objects[member]?.isDeleted == false {
        _ = try load(c, member)
      }
    }
    contexts[c].objects[name]?.toManys[relationship.name] = members
    contexts[c].objects[name]?.lastSeen[relationship.name] = nil
    return members.now
  }
}
