import DataModels

/// Thrown by a save whose objects need unique values that other rows give up in the same save. Nothing was written.
struct BlockingUniqueValues: Error {}

/// A constraint, and a row with the values that another row wants.
struct ClashPlace: Hashable {
  let constraint: [String]
  let row: RowKey

  /// Hashes the row: few rows are in the way of several constraints.
  func hash(into hasher: inout Hasher) { hasher.combine(row) }
}

extension RowWriter {
  /// The slots of the values that a constraint names; nil if the entity's rows don't have all of them.
  func slots(ofConstraint names: [String]) -> [Slot]? {
    let slots = names.compactMap { ConstrainedValue($0, layout).flatMap(slot(of:)) }
    return slots.count == names.count && !slots.isEmpty ? slots : nil
  }
}

/// The statement that finds a row with the values of another one that a constraint names.
struct ClashSearch {
  let constraint: [String]
  /// The constraint's values, which the statement's parameters take in this order; the last is the other row's key.
  let slots: [RowWriter.Slot]
  let sql: String
  /// The same for all values of the row.
  let rowSQL: String
  /// SQLite's message about a violation of the constraint's index.
  let violation: String

  /// Nil if the entity's rows don't have all of the values.
  init?(
    _ constraint: [String], in layout: EntityLayout, writer: RowWriter, shape: RowShape
  ) {
    guard let slots = writer.slots(ofConstraint: constraint) else { return nil }
    let (columns, table) = (slots.flatMap(\.columns), writer.entity.table)
    let condition = columns.map { "t0.\($0) = ?" }.joined(separator: " AND ") + " AND t0.Z_PK <> ?"
    self.constraint = constraint
    self.slots = slots
    sql = "SELECT t0.Z_PK FROM \(table) t0 WHERE \(condition)"
    rowSQL = "\(shape.select) WHERE \(condition)"
    violation =
      "UNIQUE constraint failed: " + columns.map { "\(table).\($0)" }.joined(separator: ", ")
  }

  /// Binds the values of a row.
  func bind(_ change: RowChange, to statement: SQLiteStatement, _ values: inout ValueWriter) throws
  {
    var index: Int32 = 1
    for slot in slots {
      index = try values.bind(change[slot.index], slot, to: statement, at: index)
    }
    try statement.bind(change.key, at: index)
  }
}

/// Uniqueness constraints. None of these are checked before a row violates one.
extension SaveSession {
  /// Records a row that couldn't be written because of another one as a conflict.
  ///
  /// - Throws: `error` itself if no constraint of the model is violated.
  mutating func noteClash(of row: RowChange, _ error: SQLiteError) throws {
    guard let (constraint, key) = try brokenConstraint(row) else { throw error }
    let place = RowKey(layout: row.layout, key: key)
    guard let other = present(place) else {
      let searches = try clashSearches(in: row.layout)
      if searches.count == 1, error.message == searches[0].violation { clashingLayout = row.layout }
      return try noteClash(of: row, constraint, with: place)
    }
    // Another row of this save: does it still have the values when everything is written?
    let isInTheWay = constraint.contains { name in
      guard let own = ConstrainedValue(name, row.layout),
        let its = ConstrainedValue(name, other.layout)
      else { return false }
      return own.value(in: row[own.property.slot]) != its.value(in: other[its.property.slot])
    }
    if isInTheWay {
      guard freesUniqueValues else { throw BlockingUniqueValues() }
      // The other row has another version, which its own conflict reports.
      obstruction = error
    } else {
      let known = ClashPlace(constraint: constraint, row: RowKey(other))
      let index = clashesAmongRows[known] ?? conflicts.constraints.count
      if index == conflicts.constraints.count {
        conflicts.constraints.append(
          StoreConflicts.Clash(constraint: constraint, rows: [RowKey(other)]))
        clashesAmongRows[known] = index
      }
      conflicts.constraints[index].rows.append(RowKey(row))
      clashesAmongRows[ClashPlace(constraint: constraint, row: RowKey(row))] = index
    }
  }

  /// Records a new row as a conflict if a row of the store has its unique values, without trying to write it. After one
  /// such row the next ones mostly are, too, and what fails takes SQLite longer than to look.
  ///
  /// - Returns: false if the row can be written, or if the row in its way is one of this save.
  mutating func noteExpectedClash(of row: RowChange) throws -> Bool {
    guard let search = try clashSearches(in: row.layout).first,
      let present = try presentRow(search, row)
    else {
      clashingLayout = nil
      return false
    }
    let place = RowKey(layout: row.layout, key: present.key)
    guard self.present(place) == nil else { return false }
    try noteClash(of: row, search.constraint, with: place, known: present)
    return true
  }

  /// The row of the store that has the values of another one.
  private mutating func presentRow(_ search: ClashSearch, _ row: RowChange) throws -> StoredRow? {
    defer { found.startOver(at: 0) }
    try engine.fetchRows(of: row.layout.root, by: search.rowSQL, into: found) { statement in
      try search.bind(row, to: statement, &values)
    }
    return found.rows.first
  }

  private mutating func noteClash(
    of row: RowChange, _ constraint: [String], with place: RowKey, known: StoredRow? = nil
  ) throws {
    let clash = ClashPlace(constraint: constraint, row: place)
    if let index = clashesWithPresent[clash] {
      return conflicts.constraints[index].rows.append(RowKey(row))
    }
    let present = try known ?? presentRow(place)
    if present != nil { clashesWithPresent[clash] = conflicts.constraints.count }
    conflicts.constraints.append(
      StoreConflicts.Clash(constraint: constraint, rows: [RowKey(row)], present: present))
  }

  /// The row of this save with a key.
  private mutating func present(_ place: RowKey) -> RowChange? {
    if rowsByKey == nil {
      var rows: [RowKey: RowChange] = [:]
      for row in changes.inserted { rows[RowKey(row)] = row }
      // A row that isn't written because it doesn't differ counts like any other row in the store.
      for row in changes.updated
      where (try? engine.writer(row.layout))?.changedSlots(of: row).isEmpty == false {
        rows[RowKey(row)] = row
      }
      rowsByKey = rows
    }
    return rowsByKey?[place]
  }

  /// The constraint that a row violates, and the key of the row that has the values.
  private mutating func brokenConstraint(
    _ change: RowChange
  ) throws -> (constraint: [String], key: Int64)? {
    for search in try clashSearches(in: change.layout) {
      let key = try connection.withStatement(search.sql) { row -> Int64? in
        var values = ValueWriter(engine: engine)
        try search.bind(change, to: row, &values)
        return try row.step() ? row.integer(at: 0) : nil
      }
      if let key { return (search.constraint, key) }
    }
    return nil
  }

  /// The statements that find what violates an entity's constraints: the same for all of its rows.
  private mutating func clashSearches(in layout: EntityLayout) throws -> [ClashSearch] {
    if let known = clashSearches[ObjectIdentifier(layout)] { return known }
    let writer = try engine.writer(layout)
    let shape = try engine.shape(layout.root)
    let searches = Self.constraints(of: layout).compactMap { constraint in
      ClashSearch(constraint, in: layout, writer: writer, shape: shape)
    }
    clashSearches[ObjectIdentifier(layout)] = searches
    return searches
  }

  /// The constraints that apply to an entity's table, with the entity's own and inherited ones first. Indexes cover
  /// all entities of a table, so constraints of other entities in the hierarchy apply too.
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

  /// Sets the columns of unique values that are about to change to null in the rows to update, so that objects can
  /// exchange values.
  func freeUniqueValues() throws {
    for change in changes.updated {
      let writer = try engine.writer(change.layout)
      let changed = Set(writer.changedSlots(of: change).map { writer.slots[$0].index })
      let names = Set(Self.constraints(of: change.layout).joined())
      let columns = names.sorted().compactMap { name in
        ConstrainedValue(name, change.layout).flatMap(writer.slot(of:))
      }.filter { changed.contains($0.index) }.flatMap(\.columns)
      guard !columns.isEmpty else { continue }
      let assignments = columns.map { "\($0) = NULL" }.joined(separator: ", ")
      try connection.withStatement(
        "UPDATE \(writer.entity.table) SET \(assignments) "
          + "WHERE Z_PK = ? AND \(RowWriter.hasVersion(2))"
      ) { row in
        try row.bind(change.key, at: 1)
        try row.bind(change.version, at: 2)
        try row.run()
      }
    }
  }
}
