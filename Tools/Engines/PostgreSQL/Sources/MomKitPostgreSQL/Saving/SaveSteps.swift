import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// The statements of a save, with handlers for their results. They are sent as soon as they are made.
struct SaveSteps {
  typealias Statement = PostgreSQLConnection.Statement
  typealias Check = (_ count: Int, _ rows: [PostgreSQLRow]) throws -> Void

  /// What must be asked after the other statements have run: each must find nothing, or there is a conflict.
  final class Doubts { var statements: [Statement] = [] }

  /// The changes to record in persistent history.
  final class History { var changes: [HistoryTables.Change] = [] }

  let engine: PostgreSQLEngine
  let changes: StoreChanges
  private let send: (Statement) throws -> Void
  private(set) var checks: [Check] = []
  let history = History()
  let doubts = Doubts()
  /// The positions of members in ordered relationships, in the order of ``questions()``.
  private var positions: [[(member: Int64, position: Int64?)]] = []

  private var tables: StoreTables { engine.tables }

  init(
    _ engine: PostgreSQLEngine, _ changes: StoreChanges,
    send: @escaping (Statement) throws -> Void
  ) {
    (self.engine, self.changes, self.send) = (engine, changes, send)
  }

  mutating func add(_ statement: Statement, _ check: @escaping Check = { _, _ in }) throws {
    try send(statement)
    checks.append(check)
  }

  /// Adds a statement that must affect the given number of rows.
  private mutating func add(_ statement: Statement, finding expected: Int) throws {
    try add(statement) { count, _ in
      guard count == expected else { throw PostgreSQLSave.MissedRows() }
    }
  }

  // MARK: Rows

  mutating func addChanges(to outcome: inout SaveOutcome) throws {
    try addDeletions()
    try addUpdates(to: &outcome)
    try addInsertions(to: &outcome)
    try addGuards()
    try addMembers()
  }

  /// Groups rows by table, ordered by table and key to prevent deadlocks between saves.
  private func byTable(_ rows: RowChanges) throws -> [(table: EntityTable, rows: [RowChange])] {
    var groups: [Int: (table: EntityTable, rows: [RowChange])] = [:]
    for row in rows {
      let table = try tables.table(row.layout)
      groups[table.entity.table, default: (table, [])].rows.append(row)
    }
    return groups.sorted { $0.key < $1.key }.map { group in
      (group.value.table, group.value.rows.sorted { $0.key < $1.key })
    }
  }

  private mutating func addDeletions() throws {
    for (table, rows) in try byTable(changes.deleted) {
      var parameters = PostgreSQLParameters()
      parameters.append(keys: rows.map(\.key))
      parameters.append(keys: rows.map(\.version))
      try addDeletion(
        "DELETE FROM \(table.name) t0 USING unnest($1, $2) AS v(k, n) "
          + "WHERE t0.\(SQL.key) = v.k AND t0.\(SQL.version) = v.n", parameters, table
      ) { [doubts] count, _ in
        guard count < rows.count else { return }
        // A row that somebody already deleted isn't a conflict; one that somebody changed is.
        var keys = PostgreSQLParameters()
        keys.append(keys: rows.map(\.key))
        doubts.statements.append(
          Statement("SELECT 1 FROM \(table.name) WHERE \(SQL.key) = ANY ($1) LIMIT 1", keys))
      }
    }
  }

  /// Adds the statement that deletes rows and, if history is tracked, records their preserved values.
  private mutating func addDeletion(
    _ sql: String, _ parameters: PostgreSQLParameters, _ table: EntityTable,
    _ check: @escaping Check
  ) throws {
    guard engine.tracksHistory else { return try add(Statement(sql, parameters), check) }
    let shape = try tables.shape(table.layout.root)
    try add(
      Statement("\(sql) RETURNING \(shape.columns)", parameters)
    ) { [engine, history] count, rows in
      try check(count, rows)
      var decoder = RowDecoder(store: engine.reference, layouts: engine.tables.layouts)
      for row in rows {
        let reader = try shape.reader(of: row)
        let kept = HistoryTables.tombstones(try engine.tables.table(reader.layout))
        var change = HistoryTables.Change(
          entity: reader.layout.name, key: try row.integer(0), kind: .delete)
        if !kept.isEmpty {
          change.tombstone = try HistoryTables.tombstone(kept, decoder.values(row, reader))
        }
        history.changes.append(change)
      }
    }
  }

  private mutating func addGuards() throws {
    for (table, rows) in try byTable(changes.guarded) {
      var parameters = PostgreSQLParameters()
      parameters.append(keys: rows.map(\.key))
      parameters.append(keys: rows.map(\.version))
      try add(
        Statement(
          "SELECT 1 FROM \(table.name) t JOIN unnest($1, $2) AS v(k, n) "
            + "ON t.\(SQL.key) = v.k AND t.\(SQL.version) = v.n FOR SHARE OF t", parameters),
        finding: rows.count)
    }
  }

  private mutating func addUpdates(to outcome: inout SaveOutcome) throws {
    /// Rows of one entity in which the same properties change.
    struct Group: Hashable {
      let table: ObjectIdentifier
      let slots: [Int]
    }
    // A change of members counts as one of the row, wherever they are stored.
    let owners = Set(changes.members.map { RowKey($0.owner) })
    var members: [RowKey: [String]] = [:]
    if engine.tracksHistory {
      for change in changes.members {
        members[RowKey(change.owner), default: []].append(change.property.name)
      }
    }
    var groups: [Group: (writing: RowWriting, rows: [RowChange])] = [:]
    var order: [Group] = []
    for (position, row) in changes.updated.enumerated() where row.hasValues {
      let table = try tables.table(row.layout)
      let writing = RowWriting(table, engine.reference)
      let slots = writing.changedSlots(of: row)
      guard !slots.isEmpty || owners.contains(RowKey(row)) else { continue }
      outcome.written.append(position)
      if engine.tracksHistory {
        history.changes.append(
          HistoryTables.Change(
            entity: row.layout.name, key: row.key, kind: .update,
            properties: slots.map { table.slots[$0].property.name }
              + members[RowKey(row), default: []]))
      }
      noteKept(row, slots.map { table.slots[$0] }, in: &outcome)
      let group = Group(table: ObjectIdentifier(table), slots: slots)
      if groups[group] == nil { order.append(group) }
      groups[group, default: (writing, [])].rows.append(row)
    }
    for group in order {
      guard let (writing, rows) = groups[group] else { continue }
      let sorted = rows.sorted { $0.key < $1.key }
      for (statement, count) in try writing.updates(sorted, slots: group.slots) {
        try add(statement, finding: count)
      }
    }
  }

  private mutating func addInsertions(to outcome: inout SaveOutcome) throws {
    let rows = changes.inserted.filter(\.hasValues)
    var start = 0
    while start < rows.count {
      let layout = rows[start].layout
      var end = start + 1
      while end < rows.count, rows[end].layout === layout { end += 1 }
      let table = try tables.table(layout)
      for statement in try RowWriting(table, engine.reference).insertions(rows[start..<end]) {
        try add(statement)
      }
      let kept = table.slots.filter { $0.column.type == .date || $0.column.type == .json }
      for row in rows[start..<end] {
        if engine.tracksHistory {
          history.changes.append(
            HistoryTables.Change(entity: layout.name, key: row.key, kind: .insert))
        }
        if !kept.isEmpty { noteKept(row, kept, in: &outcome) }
      }
      start = end
    }
  }

  /// Tells objects the values that were actually stored.
  private func noteKept(
    _ row: RowChange, _ slots: [EntityTable.Slot], in outcome: inout SaveOutcome
  ) {
    for slot in slots {
      guard let kept = PostgreSQLCodec.kept(row.value(of: slot.property), slot) else { continue }
      outcome.derived.append(
        SaveOutcome.DerivedValue(row: RowKey(row), property: slot.property, value: kept))
    }
  }

  // MARK: Members

  /// Where a to-many relationship's members are stored.
  private struct Place {
    let change: MemberChange
    let storage: RelationalToMany
    /// The quoted name of the join table, or of the members' table.
    let table: String
    let own: String
    let other: String
    let position: String?
  }

  private func places() throws -> [Place] {
    try changes.members.compactMap { change in
      guard
        let storage = try tables.table(change.owner.layout).entity.toManys[change.property.name]
      else { return nil }
      switch storage {
      case .join(let index, let isOwner):
        let join = tables.schema.joinTables[index]
        return Place(
          change: change, storage: storage, table: SQL.quoted(join.name),
          own: SQL.quoted(join.ownColumn(isOwner: isOwner)),
          other: SQL.quoted(join.otherColumn(isOwner: isOwner)),
          position: join.position(isOwner: isOwner).map(SQL.quoted))
      case .key(let table, let column, let position):
        let target = tables.schema.tables[table]
        return Place(
          change: change, storage: storage, table: SQL.quoted(target.name),
          own: SQL.quoted(target.columns[column].name), other: SQL.key,
          position: position.map { SQL.quoted(target.columns[$0].name) })
      }
    }
  }

  /// Returns the queries that must run first, for current positions in ordered relationships, or nil if none are
  /// needed.
  func questions() throws -> [Statement]? {
    let asked = try places().filter(Self.asks).map { place in
      var parameters = PostgreSQLParameters()
      parameters.append(place.change.owner.key)
      return Statement(
        "SELECT \(place.other), \(place.position ?? "") FROM \(place.table) WHERE \(place.own) = $1",
        parameters)
    }
    return asked.isEmpty ? nil : asked
  }

  /// Processes the results of ``questions()``.
  mutating func answer(_ answers: [[(Int64, Int64?)]]) {
    positions = answers.map { $0.map { ($0.0, $0.1) } }
  }

  private static func asks(_ place: Place) -> Bool {
    place.position != nil && place.change.owner.version != 0
  }

  private mutating func addMembers() throws {
    var answers = positions.makeIterator()
    for place in try places() {
      let present = Self.asks(place) ? answers.next() ?? [] : []
      if case .join(let index, _) = place.storage {
        try addPairs(place, isReflexive: tables.schema.joinTables[index].isReflexive)
      }
      if place.position != nil { try addPositions(place, present) }
    }
  }

  /// Returns the removed members that have rows in this store; others can't have been members.
  private func removed(_ change: MemberChange) -> [Int64] {
    change.removed.filter { $0.storeReference === engine.reference }.map(\.key)
  }

  private mutating func addPairs(_ place: Place, isReflexive: Bool) throws {
    let removed = removed(place.change)
    let added = try place.change.added.map { try engine.reference.key(of: $0) }
    func parameters(_ members: [Int64]) -> PostgreSQLParameters {
      var parameters = PostgreSQLParameters()
      parameters.append(place.change.owner.key)
      parameters.append(keys: members)
      return parameters
    }
    for (own, other) in [(place.own, place.other)]
      + (isReflexive ? [(place.other, place.own)] : [])
    {
      if !removed.isEmpty {
        try add(
          Statement(
            "DELETE FROM \(place.table) WHERE \(own) = $1 AND \(other) = ANY ($2)",
            parameters(removed)))
      }
      guard !added.isEmpty else { continue }
      if place.change.property.inverseProperty == nil {
        // A member has one owner: the last that a save gives it to.
        try add(
          Statement(
            "DELETE FROM \(place.table) WHERE \(other) = ANY ($2) AND \(own) <> $1",
            parameters(added)))
      }
      try add(
        Statement(
          "INSERT INTO \(place.table) (\(own), \(other)) SELECT $1, unnest($2) "
            + "ON CONFLICT DO NOTHING", parameters(added)))
    }
  }

  private mutating func addPositions(
    _ place: Place, _ present: [(member: Int64, position: Int64?)]
  ) throws {
    let change = place.change
    var known: [Int64: Int64] = [:]
    for (member, position) in present { known[member] = position }
    let isKey = if case .key = place.storage { true } else { false }
    let removed = removed(change)
    if isKey, !removed.isEmpty {
      // The key has already been cleared, or refers to another object by now.
      var parameters = PostgreSQLParameters()
      parameters.append(keys: removed)
      try add(
        Statement(
          "UPDATE \(place.table) SET \(place.position ?? "") = NULL WHERE \(place.other) = ANY ($1) "
            + "AND \(place.own) IS NULL", parameters))
    }
    for key in removed { known[key] = nil }
    let added = try change.added.map { try engine.reference.key(of: $0) }
    // A member taken from another owner still has its position there.
    if isKey { for key in added { known[key] = nil } }
    let wanted: [(id: NSManagedObjectID, position: Int64)]
    if let order = change.order {
      let keys = try order.map { try engine.reference.key(of: $0) }
      let own = keys.map { known.removeValue(forKey: $0) }
      wanted = OrderPositions(own, others: Array(known.values)).changes().map {
        (order[$0.place], $0.position)
      }
    } else {
      var last = known.values.max() ?? OrderPositions.first - OrderPositions.step
      wanted = change.added.map { id in
        last &+= OrderPositions.step
        return (id, last)
      }
    }
    for (id, position) in wanted { try addPosition(position, of: id, place, isKey: isKey) }
  }

  private mutating func addPosition(
    _ position: Int64, of id: NSManagedObjectID, _ place: Place, isKey: Bool
  ) throws {
    let key = try engine.reference.key(of: id)
    var parameters = PostgreSQLParameters()
    parameters.append(key)
    parameters.append(position)
    let column = place.position ?? ""
    guard isKey else {
      parameters.append(place.change.owner.key)
      try add(
        Statement(
          "UPDATE \(place.table) SET \(column) = $2 WHERE \(place.other) = $1 AND \(place.own) = $3",
          parameters))
      return
    }
    // The member's version stays: none of its properties change, and the owner's version guards the order.
    try add(
      Statement(
        "UPDATE \(place.table) SET \(column) = $2 WHERE \(place.other) = $1 "
          + "AND \(column) IS DISTINCT FROM $2", parameters))
  }
}
