import ManagedModel

/// Thrown by a save whose objects want values that the rows of others will give up with the same save.
/// Nothing was written.
struct UniqueValuesInTheWay: Error {}

/// Values that must be unique. None of this is asked before a row meets another.
extension SaveSession {
  /// Notes that a row couldn't be written for another's sake, as a conflict.
  ///
  /// - Throws: `error` itself if no constraint of the model is broken.
  mutating func noteClash(of object: NSManagedObject, _ error: SQLiteError) throws {
    guard let (constraint, key) = try brokenConstraint(object) else { throw error }
    let id = NSManagedObjectID(layout: object.layout, store: engine.reference, key: key)
    guard let other = present(id) else { return try noteClash(of: object, constraint, withRow: id) }
    // Another object of this save; will its row still have the values when all is written?
    let isInTheWay = constraint.contains { name in
      guard let own = object.layout.property(name), let its = other.layout.property(name) else {
        return false
      }
      return object.storedValue(at: own.slot) != other.storedValue(at: its.slot)
    }
    if isInTheWay {
      guard freesUniqueValues else { throw UniqueValuesInTheWay() }
      // It is of another version, as its own conflict tells.
      obstruction = error
    } else if let place = place(of: constraint, where: { $0.contains { $0 === other } }) {
      conflicts.constraints[place].objects.append(object)
    } else {
      conflicts.constraints.append(
        SaveConflicts.Clash(constraint: constraint, objects: [other, object], row: nil))
    }
  }

  private mutating func noteClash(
    of object: NSManagedObject, _ constraint: [String], withRow id: NSManagedObjectID
  ) throws {
    let known = conflicts.constraints.firstIndex {
      $0.row?.key == id.key && $0.row?.layout.rootID == id.layout.rootID
        && $0.constraint == constraint
    }
    if let known { return conflicts.constraints[known].objects.append(object) }
    let collector = FirstRow()
    _ = try engine.fetchRow(id, into: collector)
    conflicts.constraints.append(
      SaveConflicts.Clash(constraint: constraint, objects: [object], row: collector.row))
  }

  private func place(
    of constraint: [String], where isMeant: ([NSManagedObject]) -> Bool
  ) -> Int? {
    conflicts.constraints.firstIndex {
      $0.row == nil && $0.constraint == constraint && isMeant($0.objects)
    }
  }

  /// The object of this save whose row an identity means.
  private mutating func present(_ id: NSManagedObjectID) -> NSManagedObject? {
    if objectsByID == nil, let changes {
      objectsByID = [:]
      for object in changes.inserted { objectsByID?[object.identity] = object }
      // One that isn't written for want of a difference is a row like any other.
      for object in changes.updated
      where (try? engine.writer(object.layout))?.changedSlots(of: object).isEmpty == false {
        objectsByID?[object.identity] = object
      }
    }
    return objectsByID?[id]
  }

  /// Finds out which constraint an object breaks, and the key of the row that has the values.
  private func brokenConstraint(
    _ object: NSManagedObject
  ) throws -> (constraint: [String], key: Int64)? {
    let writer = try engine.writer(object.layout)
    for constraint in Self.constraints(of: object.layout) {
      let slots = constraint.compactMap { name in
        writer.slots.first { object.layout.values[$0.index].name == name }
      }
      guard slots.count == constraint.count, !slots.isEmpty else { continue }
      let condition = slots.flatMap(\.columns).map { "\($0) = ?" }.joined(separator: " AND ")
      let key = try connection.withStatement(
        "SELECT Z_PK FROM \(writer.entity.table) WHERE \(condition) AND Z_PK <> ?"
      ) { row -> Int64? in
        var values = ValueWriter(engine: engine)
        var index: Int32 = 1
        for slot in slots {
          index = try values.bind(object.storedValue(at: slot.index), slot, to: row, at: index)
        }
        try row.bind(object.rowKey, at: index)
        return try row.step() ? row.integer(at: 0) : nil
      }
      if let key { return (constraint, key) }
    }
    return nil
  }

  /// The constraints of an entity's table, an entity's own and inherited ones first: indexes know no
  /// entities, so that those of its neighbours bind its rows too.
  private static func constraints(of layout: EntityLayout) -> [[String]] {
    var found: [[String]] = []
    func add(_ entity: NSEntityDescription) {
      for names in entity.uniquenessConstraints {
        let constraint = names.compactMap { $0 as? String }
        if !found.contains(constraint) { found.append(constraint) }
      }
    }
    add(layout.entity)
    var others = [layout.root.entity]
    while let entity = others.popLast() {
      add(entity)
      others += entity.subentities
    }
    return found
  }

  /// Empties the columns that constraints name in the rows to be updated, where they are about to get other
  /// values: objects may exchange theirs.
  func freeUniqueValues() throws {
    for object in changes?.updated ?? [] {
      let writer = try engine.writer(object.layout)
      let names = Set(Self.constraints(of: object.layout).joined())
      let columns = writer.changedSlots(of: object)
        .filter { names.contains(object.layout.values[writer.slots[$0].index].name) }
        .flatMap { writer.slots[$0].columns }
      guard !columns.isEmpty else { continue }
      let assignments = columns.map { "\($0) = NULL" }.joined(separator: ", ")
      try connection.withStatement(
        "UPDATE \(writer.entity.table) SET \(assignments) WHERE Z_PK = ? AND Z_OPT = ?"
      ) { row in
        try row.bind(object.rowKey, at: 1)
        try row.bind(object.version, at: 2)
        try row.run()
      }
    }
  }
}
