import DataModels
import Foundation

/// Deletes a batch's rows, and applies the delete rules of their relationships.
struct BatchDeleter: BatchRun {
  let engine: SQLiteEngine
  private let batch: BatchDeletion
  /// Rows of other objects that lose a reference, with the names of the properties that change.
  private var losses: [Int: [Int64: Set<String>]] = [:]
  private(set) var obsoleteFiles: [URL] = []
  var writtenFiles: [URL] { [] }

  private var connection: SQLiteConnection { engine.connection }

  init(_ engine: SQLiteEngine, _ batch: BatchDeletion) {
    self.engine = engine
    self.batch = batch
  }

  mutating func run() throws -> BatchOutcome {
    let selection = try BatchSelection(engine)
    switch batch.rows {
    case .ids(let ids): try selection.add(ids)
    case .query(let query): try selection.add(query, matching: batch.matching)
    }
    let outcome = try selection.outcome(wantsIDs: batch.wantsIDs)
    if outcome.count > 0 {
      try cascade(selection)
      let numbers = try selection.entities()
      for number in numbers { try release(number) }
      try writeHistory(selection)
      for number in numbers { try delete(number) }
    }
    try selection.clear()
    return outcome
  }

  // MARK: Cascades

  /// Selects the rows that cascades reach, in rounds until no new ones are found.
  private func cascade(_ selection: BatchSelection) throws {
    var round = 0
    var isNew = true
    while isNew {
      isNew = false
      for number in try selection.entities(round: round) {
        let layout = try engine.layout(number: number)
        let entity = try engine.entity(layout)
        for property in layout.toOnes + layout.toManys
        where property.deleteRule == .cascadeDeleteRule && !property.isTransient {
          guard let destination = try property.destination.map(engine.entity),
            let rows = destinations(of: property, entity, round: round)
          else { continue }
          if try selection.add(from: destination, where: rows, round: round + 1) > 0 {
            isNew = true
          }
        }
      }
      round += 1
    }
  }

  /// The condition that a selected row refers to row `d` of a relationship's destination.
  private func destinations(
    of property: PropertyLayout, _ entity: SchemaEntity, round: Int? = nil
  ) -> String? {
    let keys = BatchSelection.keys(
      root: entity.rootNumber, entity: entity.number, round: round)
    if let toOne = entity.toOnes[property.name] {
      return "d.Z_PK IN (SELECT \(toOne.key) FROM \(entity.table) WHERE Z_PK IN (\(keys)))"
    }
    switch entity.toManys[property.name] {
    case .key(let key, _, _, _): return "d.\(key) IN (\(keys))"
    case .join(let index, _, _)?:
      let join = engine.schema.joinTables[index]
      guard let storage = entity.toManys[property.name] else { return nil }
      let (own, other) = (storage.ownKey(join), storage.otherKey(join))
      let mirrored =
        join.isReflexive
        ? " UNION SELECT \(own) FROM \(join.name) WHERE \(other) IN (\(keys))" : ""
      return "d.Z_PK IN (SELECT \(other) FROM \(join.name) WHERE \(own) IN (\(keys))\(mirrored))"
    case nil: return nil
    }
  }

  // MARK: References

  /// Removes the selected rows of an entity from the relationships of rows that remain.
  private mutating func release(_ number: Int) throws {
    let layout = try engine.layout(number: number)
    let entity = try engine.entity(layout)
    for property in layout.toOnes + layout.toManys where !property.isTransient {
      guard let target = try property.destination.map(engine.entity),
        let rows = destinations(of: property, entity)
      else { continue }
      let stays = "d.Z_PK NOT IN (\(BatchSelection.keys(root: target.rootNumber)))"
      switch property.deleteRule {
      case .denyDeleteRule:
        let sql = "SELECT count(*) FROM \(target.table) d WHERE \(rows) AND \(stays)"
        guard try connection.integer(sql) == 0 else { throw denied(property, layout) }
      case .noActionDeleteRule:
        if property.inverse == nil {
          try forget(property, of: entity, target: target, where: "\(rows) AND \(stays)")
        }
      default: try nullify(property, of: entity, target: target, where: rows, staying: stays)
      }
      try dropJoinRows(property, entity)
    }
  }

  private mutating func nullify(
    _ property: PropertyLayout, of entity: SchemaEntity, target: SchemaEntity, where rows: String,
    staying stays: String
  ) throws {
    let condition = "\(rows) AND \(stays)"
    if let inverse = property.inverse, let columns = target.toOnes[inverse.name] {
      // The inverse's own column determines what refers to the row; it may be inconsistent with the row's column.
      let keys = BatchSelection.keys(root: entity.rootNumber, entity: entity.number)
      let leads = "d.\(columns.key) IN (\(keys)) AND \(stays)"
      let order = engine.schema.orderColumn(of: inverse.name, in: target)
      try clear(
        [columns.key, columns.targetEntity, order], of: target, where: leads, property: property,
        inverse: inverse)
    } else if property.inverse == nil {
      guard case .key(let key, let targetEntity, let order, _)? = entity.toManys[property.name]
      else { return }
      try clear(
        [key, targetEntity, order], of: target, where: condition, property: property, inverse: nil)
    } else if let inverse = property.inverse, inverse.isToMany {
      try removeMembers(property, inverse: inverse, of: entity, target: target, where: condition)
    }
  }

  /// Clears references to the selected rows in rows that remain, where no inverse exposes them; versions aren't
  /// incremented.
  private func forget(
    _ property: PropertyLayout, of entity: SchemaEntity, target: SchemaEntity,
    where condition: String
  ) throws {
    guard case .key(let key, let targetEntity, let order, _)? = entity.toManys[property.name] else {
      return
    }
    let columns = [key, targetEntity, order].compactMap { $0 }.map { "\($0) = NULL" }
    try connection.execute(
      "UPDATE \(target.table) AS d SET \(columns.joined(separator: ", ")) WHERE \(condition)")
  }

  private mutating func clear(
    _ columns: [String?], of target: SchemaEntity, where condition: String,
    property: PropertyLayout, inverse: PropertyLayout?
  ) throws {
    let range = engine.schema.isKind(of: target, column: "d.Z_ENT")
    let count = try note(target, where: "\(condition) AND \(range)", changing: inverse?.name)
    guard count > 0 else { return }
    if let inverse, !inverse.isOptional { throw mandatory(property, inverse) }
    var assignments = columns.compactMap { $0 }.map { "\($0) = NULL" }
    // Without inverse, none of the row's properties change.
    if inverse != nil { assignments.append("Z_OPT = ifnull(Z_OPT, 0) + 1") }
    try connection.execute(
      "UPDATE \(target.table) AS d SET \(assignments.joined(separator: ", ")) "
        + "WHERE \(condition) AND \(range)")
  }

  /// Removes the selected rows from to-many relationships of rows that remain.
  private mutating func removeMembers(
    _ property: PropertyLayout, inverse: PropertyLayout, of entity: SchemaEntity,
    target: SchemaEntity, where condition: String
  ) throws {
    let relationship = inverse.description as? NSRelationshipDescription
    let least = relationship?.minCount ?? 0
    if least > 0, let storage = target.toManys[inverse.name] {
      let members = storage.rows(of: "d.Z_PK", as: "m", engine.schema)
      let gone = BatchSelection.keys(root: entity.rootNumber)
      let short = try connection.integer(
        "SELECT count(*) FROM \(target.table) d WHERE \(condition) AND (SELECT count(*) FROM "
          + "\(members) AND m.Z_PK NOT IN (\(gone))) < \(least)")
      guard short == 0 else { throw mandatory(property, inverse) }
    }
    // In a one-to-many relationship, the owner's own row doesn't change.
    guard case .join? = target.toManys[inverse.name] else { return }
    // Nor does it in a many-to-many one, whose change only history tells.
    _ = try note(target, where: condition, changing: inverse.name)
  }

  private func dropJoinRows(_ property: PropertyLayout, _ entity: SchemaEntity) throws {
    guard let storage = entity.toManys[property.name], case .join(let index, _, _) = storage else {
      return
    }
    let join = engine.schema.joinTables[index]
    let keys = BatchSelection.keys(root: entity.rootNumber, entity: entity.number)
    let columns = join.isReflexive ? [join.ownerKey, join.inverseKey] : [storage.ownKey(join)]
    for column in columns {
      try connection.execute("DELETE FROM \(join.name) WHERE \(column) IN (\(keys))")
    }
  }

  // MARK: Errors

  private func denied(_ property: PropertyLayout, _ layout: EntityLayout) -> NSError {
    CoreDataError.make(
      NSValidationRelationshipDeniedDeleteError,
      "Rows of \(layout.name) can't be deleted: '\(property.name)' denies it while it has "
        + "destinations.",
      userInfo: [NSValidationKeyErrorKey: property.name])
  }

  private func mandatory(_ property: PropertyLayout, _ inverse: PropertyLayout) -> NSError {
    let kind = inverse.isToMany ? (property.isToMany ? "MTM" : "OTM") : "OTO"
    let owner = inverse.destination?.name ?? ""
    return CoreDataError.make(
      NSPersistentStoreSaveConflictsError,
      "Constraint trigger violation: Batch delete failed due to mandatory \(kind) nullify inverse "
        + "on \(owner)/\(property.name)",
      userInfo: [NSValidationKeyErrorKey: inverse.name])
  }

  // MARK: Deletion

  /// Records changed rows `d` for history, and returns their number.
  private mutating func note(
    _ target: SchemaEntity, where condition: String, changing name: String?
  ) throws -> Int {
    var count = 0
    try connection.withStatement(
      "SELECT d.Z_PK, \(engine.schema.entityNumber(of: target, column: "d.Z_ENT")) "
        + "FROM \(target.table) d WHERE \(condition)"
    ) { row in
      while try row.step() {
        count += 1
        guard engine.historyWriter != nil else { continue }
        let names: Set<String> = name.map { [$0] } ?? []
        losses[Int(truncatingIfNeeded: row.integer(at: 1)), default: [:]][
          row.integer(at: 0), default: []
        ]
        .formUnion(names)
      }
    }
    return count
  }

  private func writeHistory(_ selection: BatchSelection) throws {
    guard let history = engine.historyWriter else { return }
    let count = try selection.count() + losses.values.reduce(0) { $0 + $1.count }
    let rows = try history.begin(
      rowCount: count, contextName: batch.author.contextName, author: batch.author.author,
      engine: engine)
    defer { rows.end() }
    for (number, changed) in losses.sorted(by: { $0.key < $1.key }) {
      let layout = try engine.layout(number: number)
      let columns = try history.changedColumns(layout, engine)
      for (key, names) in changed.sorted(by: { $0.key < $1.key }) {
        try rows.write(.update, entity: number, key: key, columns: columns.bytes(names))
      }
    }
    try selection.forEach { try rows.write(.delete, entity: $0, key: $1) }
    for number in try selection.entities() {
      try keepTombstones(of: number, in: rows.transaction, limit: history.tombstoneCount)
    }
  }

  /// Stores the values that the model preserves as tombstones.
  private func keepTombstones(of number: Int, in transaction: Int64, limit: Int) throws {
    let layout = try engine.layout(number: number)
    let entity = try engine.entity(layout)
    let kept = HistoryWriter.tombstoneProperties(of: layout).prefix(limit)
    for (index, property) in kept.enumerated() {
      guard let column = entity.attributes[property.name] else { continue }
      try connection.execute(
        "UPDATE ACHANGE SET ZTOMBSTONE\(index) = (SELECT \(column) FROM \(entity.table) WHERE "
          + "Z_PK = ZENTITYPK) WHERE ZTRANSACTIONID = \(transaction) AND ZENTITY = \(number) "
          + "AND ZCHANGETYPE = 2")
      if (property.description as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
      {
        try keepContents(of: column, in: entity, as: "ZTOMBSTONE\(index)", transaction: transaction)
      }
    }
  }

  /// Stores the contents of large values as tombstones: their files go with the rows.
  private func keepContents(
    of column: String, in entity: SchemaEntity, as tombstone: String, transaction: Int64
  ) throws {
    var references: [(key: Int64, bytes: Data)] = []
    try connection.withStatement(
      "SELECT Z_PK, \(column) FROM \(entity.table) WHERE Z_PK IN "
        + "(\(BatchSelection.keys(root: entity.rootNumber, entity: entity.number))) "
        + "AND substr(\(column), 1, 1) = x'02'"
    ) { row in
      while try row.step() {
        if let bytes = row.blob(at: 1) { references.append((row.integer(at: 0), Data(bytes))) }
      }
    }
    for (key, bytes) in references {
      try connection.withStatement(
        "UPDATE ACHANGE SET \(tombstone) = ? WHERE ZTRANSACTIONID = ? AND ZENTITY = ? "
          + "AND ZENTITYPK = ? AND ZCHANGETYPE = 2"
      ) { row in
        // A value whose file is missing is null.
        if let value = try? engine.externalData.value(of: bytes) {
          try row.bind(engine.externalData.inline.column(for: value).bytes, at: 1)
        } else {
          try row.bindNull(at: 1)
        }
        try row.bind(transaction, at: 2)
        try row.bind(Int64(entity.number), at: 3)
        try row.bind(key, at: 4)
        try row.run()
      }
    }
  }

  private mutating func delete(_ number: Int) throws {
    let layout = try engine.layout(number: number)
    let writer = try engine.writer(layout)
    let entity = writer.entity
    let rows =
      "Z_PK IN (\(BatchSelection.keys(root: entity.rootNumber, entity: entity.number)))"
    obsoleteFiles += try engine.externalFiles(
      of: writer.slots.flatMap(\.externalColumns), in: entity.table, where: rows)
    try connection.execute("DELETE FROM \(entity.table) WHERE \(rows)")
  }
}
