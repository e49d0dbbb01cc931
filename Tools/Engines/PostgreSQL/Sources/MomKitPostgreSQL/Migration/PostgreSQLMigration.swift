import DataModels
import Foundation
import MomKit
import RelationalSchemas

/// A lightweight migration in one transaction, under a lock that excludes all writers and other migrations.
///
/// Tables that are the same in both models stay as they are. The others are renamed, re-created, filled with SQL, and
/// dropped, which takes no privileges on the database. Keys don't change unless rows of two tables end up in one. New
/// tables get the owners, privileges and indexes of the old ones; what else others have made for these makes the
/// migration fail.
struct PostgreSQLMigration {
  let connection: PostgreSQLConnection
  let mapping: MigrationMapping
  /// The names of the tables that don't change.
  private(set) var kept: Set<String> = []
  /// The names of the join tables that don't change.
  private(set) var keptJoins: Set<String> = []
  /// Offsets added to the keys of an old table's rows in a new table, by the indexes of both.
  var shifts: [Route: Int64] = [:]
  /// What the old tables, sequences and types are called until they are dropped, by the names that their successors may
  /// have.
  private var namesAside: [String: String] = [:]

  struct Route: Hashable {
    let old: Int
    let new: Int
  }

  /// Prepares a migration. The caller has locked the store.
  init(_ connection: PostgreSQLConnection, _ mapping: MigrationMapping) throws {
    (self.connection, self.mapping) = (connection, mapping)
    try findShifts()
    kept = Set(mapping.new.tables.indices.filter { stays($0) }.map { mapping.new.tables[$0].name })
    keptJoins = Set(
      mapping.new.joinTables.filter { join in
        mapping.old.joinTables.contains(join) && kept.contains(join.ownerTable)
          && kept.contains(join.memberTable)
          && mapping.pairs.allSatisfy { pair in
            pair.new.toManys.keys.allSatisfy { pair.properties[$0] == $0 }
          }
      }.map(\.name))
  }

  /// Whether a table's rows can stay in place: its columns, their sources, the elements of composite values and the keys
  /// that rows refer to are unchanged.
  private func stays(_ index: Int) -> Bool {
    let table = mapping.new.tables[index]
    guard let before = mapping.old.tables.firstIndex(of: table) else { return false }
    // Abstract entities have no rows, and no pairs.
    let entities = mapping.new.entities.values.filter {
      $0.table == index && table.entityNames.contains($0.name)
    }
    return entities.allSatisfy { entity in
      guard let pair = mapping.pair(entity.name) else { return false }
      return pair.old.name == entity.name && pair.old.table == before
        && entity.columns.allSatisfy { property, column in
          guard pair.properties[property] == property,
            Self.compositeMigration(of: property, pair, mapping) == nil
          else { return false }
          guard case .toOne = table.columns[column].kind else { return true }
          return shift(of: property, property, pair) == 0
        }
    } && mapping.pairs.allSatisfy { $0.old.table != before || $0.new.table == index }
  }

  /// Migrates the store. The caller manages the transaction.
  mutating func run() throws {
    try requireNoDependents()
    let succession = try TableSuccession(connection, replacing: replaced, replacedJoins)
    let references = try setAside()
    let fresh = mapping.new.tables.filter { !kept.contains($0.name) }
    try execute(fresh.flatMap { mapping.new.preparations(for: $0, in: .postgreSQL) })
    try execute(fresh.map { mapping.new.creation(of: $0, in: .postgreSQL) })
    for pair in mapping.pairs where !kept.contains(mapping.new.table(of: pair.new).name) {
      try copyRows(pair)
    }
    try clearLostReferences()
    for (index, join) in mapping.new.joinTables.enumerated() where !keptJoins.contains(join.name) {
      try execute(mapping.new.creation(of: join, in: .postgreSQL))
      try copyPairs(of: join, index)
    }
    for table in fresh { try continueKeys(of: table) }
    try requireUniqueValues()
    try execute(fresh.flatMap { mapping.new.foreignKeys(of: $0, in: .postgreSQL) })
    try execute(references)
    try execute(fresh.flatMap { mapping.new.indexes(of: $0, in: .postgreSQL) })
    try succession.makeIndexes(mapping.new)
    try handOver(to: fresh, succession)
    try migrateHistory()
    try dropOld()
  }

  private var replaced: [RelationalTable] {
    mapping.old.tables.filter { !kept.contains($0.name) }
  }

  private var replacedJoins: [RelationalJoinTable] {
    mapping.old.joinTables.filter { !keptJoins.contains($0.name) }
  }

  private func requireNoDependents() throws {
    let dependents = OthersDependents(replacing: replaced, replacedJoins, of: mapping.old)
    let found = try dependents.descriptions(connection)
    guard found.isEmpty else {
      throw refusal(
        "The store can't be migrated, because its tables are replaced, and others have made what would be lost "
          + "with them: \(found.joined(separator: ", ")). Nothing was changed. Drop these, migrate, and make "
          + "them again.")
    }
  }

  /// Gives the new tables the owners and privileges of those whose rows they have.
  private func handOver(to fresh: [RelationalTable], _ succession: TableSuccession) throws {
    for table in fresh {
      guard let index = mapping.new.tables.firstIndex(of: table),
        let old = replaced.first(where: { $0.name == table.name })
          ?? mapping.pairs.first(where: { $0.new.table == index }).map({
            mapping.old.table(of: $0.old)
          })
      else { continue }
      try succession.hand(
        from: place(old.name), to: SQL.quoted(table.name), "TABLE", type: table.entityType)
      try succession.hand(
        from: place(old.sequence), to: SQL.quoted(table.sequence), "SEQUENCE")
    }
    let names = Set(mapping.new.joinTables.map(\.name))
    for join in replacedJoins where names.contains(join.name) {
      try succession.hand(
        from: place(join.name), to: SQL.quoted(join.name), "TABLE")
    }
  }

  /// Drops the old tables, without `CASCADE`: nothing else may go with them.
  private func dropOld() throws {
    let tables = (replaced.map(\.name) + replacedJoins.map(\.name)).map(place)
    if !tables.isEmpty { try execute(["DROP TABLE \(tables.joined(separator: ", "))"]) }
    try execute(
      replaced.map { "DROP SEQUENCE \(place($0.sequence))" }
        + replaced.compactMap(\.entityType).map { "DROP TYPE \(place($0))" })
  }

  /// Continues a table's keys after all that were ever given: those of deleted rows aren't given again, because the URIs
  /// and the history of these mustn't become those of other objects.
  private func continueKeys(of table: RelationalTable) throws {
    let new = mapping.new.tables.firstIndex(of: table)
    var next = ["(SELECT coalesce(max(\(SQL.key)), 0) + 1 FROM \(SQL.quoted(table.name)))"]
    for (route, shift) in shifts where route.new == new {
      next.append("\(try sum(nextKey(of: mapping.old.tables[route.old]), shift))")
    }
    try execute([
      "SELECT setval(\(SQL.literal(SQL.quoted(table.sequence))), "
        + "greatest(\(next.sorted().joined(separator: ", "))), false)"
    ])
  }

  /// The first key that an old table hasn't given to anyone.
  private func nextKey(of table: RelationalTable) throws -> Int64 {
    let steps = "CASE WHEN is_called THEN \(RelationalTable.keysAtOnce) ELSE 0 END"
    let last = "SELECT last_value FROM \(place(table.sequence))"
    return try sum(
      integer(last) ?? 1,
      integer("SELECT \(steps) FROM \(place(table.sequence))") ?? 0)
  }

  private func requireUniqueValues() throws {
    do {
      try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    } catch {
      guard error.isUniqueViolation else { throw error }
      throw PostgreSQLStore.error(
        NSMigrationConstraintViolationError,
        "Objects break the uniqueness constraint \(error.constraint ?? "") of the new model.",
        [PostgreSQLStore.sqlStateErrorKey: error.state])
    }
  }

  private func execute(_ statements: [String]) throws {
    guard !statements.isEmpty else { return }
    try connection.execute(statements.joined(separator: ";\n"))
  }

  func integer(_ sql: String) throws -> Int64? {
    var statement = PostgreSQLConnection.Statement(sql)
    statement.isKept = false
    var found: Int64?
    try connection.run(statement) { if !$0.isNull(0) { found = try $0.integer(0) } }
    return found
  }

  private func sum(_ one: Int64, _ other: Int64) throws -> Int64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    guard !overflow else { throw refusal("There are no keys left.") }
    return sum
  }

  func refusal(_ text: String, _ info: [String: Any] = [:]) -> NSError {
    PostgreSQLStore.error(NSMigrationError, text, info)
  }

  // MARK: Old tables

  /// Determines the key offsets where rows of several tables end up in one.
  private mutating func findShifts() throws {
    for new in mapping.new.tables.indices {
      var next: Int64 = 0
      for old in Set(mapping.pairs.filter { $0.new.table == new }.map(\.old.table)).sorted() {
        shifts[Route(old: old, new: new)] = next
        let table = mapping.old.tables[old]
        let name = SQL.quoted(table.name)
        // Rows that other programs have inserted may have any keys.
        let last = try integer("SELECT max(\(SQL.key)) FROM \(name)") ?? 0
        next = try sum(next, max(last, nextKey(of: table) - 1))
      }
    }
  }

  /// Renames the old tables and what is of them, and returns the statements that restore the foreign keys which tables
  /// that stay have to them.
  private mutating func setAside() throws -> [String] {
    var parameters = PostgreSQLParameters()
    parameters.append(texts: kept.sorted())
    parameters.append(texts: replaced.map(\.name))
    var question = PostgreSQLConnection.Statement(
      """
      SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname),
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
      FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace AND n.oid = r.relnamespace
      WHERE n.nspname = current_schema() AND k.contype = 'f' AND c.relname = ANY ($1) AND r.relname = ANY ($2)
      ORDER BY 1
      """, parameters)
    question.isKept = false
    var statements: [String] = []
    var references: [String] = []
    try connection.run(question) { row in
      statements.append(row.text(0))
      references.append(row.text(1))
    }
    let tables = replacedJoins.map(\.name) + replaced.map(\.name)
    try connection.run(renamings(ofPartsOf: tables)) { statements.append($0.text(0)) }
    for name in tables { statements.append(setAside(name, "TABLE")) }
    for table in replaced {
      statements.append(setAside(table.sequence, "SEQUENCE"))
      if let type = table.entityType { statements.append(setAside(type, "TYPE")) }
    }
    try execute(statements)
    return references
  }

  /// Returns the statement that renames an old object.
  private mutating func setAside(_ name: String, _ kind: String) -> String {
    let aside = "_momkit_old_\(namesAside.count + 1)"
    namesAside[name] = aside
    return "ALTER \(kind) \(SQL.quoted(name)) RENAME TO \(SQL.quoted(aside))"
  }

  /// Returns the question for the statements that rename tables' constraints and indexes, which would otherwise keep the
  /// names that those of the new tables will have. Others' are among them.
  private func renamings(ofPartsOf tables: [String]) -> PostgreSQLConnection.Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(texts: tables)
    var question = PostgreSQLConnection.Statement(
      """
      WITH t AS (
        SELECT c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relname = ANY ($1)
      )
      SELECT format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', t.relname, k.conname,
        '_momkit_old_constraint_' || row_number() OVER (ORDER BY k.oid))
      FROM pg_constraint k JOIN t ON t.oid = k.conrelid WHERE k.contype <> 't'
      UNION ALL
      SELECT format('ALTER INDEX %I RENAME TO %I', x.relname,
        '_momkit_old_index_' || row_number() OVER (ORDER BY x.oid))
      FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN t ON t.oid = i.indrelid
      WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = x.oid AND k.conrelid = t.oid)
      """, parameters)
    question.isKept = false
    return question
  }

  /// Returns the present name of an old table, sequence or type.
  func place(_ name: String) -> String { SQL.quoted(namesAside[name] ?? name) }

  // MARK: Rows

  private func copyRows(_ pair: MigrationMapping.Pair) throws {
    let (newTable, oldTable) = (mapping.new.table(of: pair.new), mapping.old.table(of: pair.old))
    // Rows of subentities are copied by their own pairs.
    guard newTable.entityNames.contains(pair.new.name) else { return }
    let route = Route(old: pair.old.table, new: pair.new.table)
    var names = [SQL.key, SQL.version]
    var values = ["s.\(SQL.key) + \(shifts[route] ?? 0)", "s.\(SQL.version)"]
    if let type = newTable.entityType {
      names.append(SQL.entity)
      values.append("\(SQL.label(pair.new.name))::\(SQL.quoted(type))")
    }
    let composites = try convertComposites(of: pair)
    var joins = ""
    for (property, index) in pair.new.columns.sorted(by: { $0.value < $1.value }) {
      let column = newTable.columns[index]
      names.append(SQL.quoted(column.name))
      guard case .toOne = column.kind else {
        values.append(try composites[property] ?? value(of: property, column, pair))
        continue
      }
      let source = try keySource(of: property, pair, alias: "l\(index)")
      values.append(source?.key ?? "NULL")
      joins += source?.join ?? ""
      if let name = positionColumn(beside: index, of: pair.new.table, in: mapping.new) {
        names.append(name)
        values.append(source?.position ?? "NULL")
      }
    }
    var sql = "INSERT INTO \(SQL.quoted(newTable.name)) (\(names.joined(separator: ", "))) SELECT "
    sql += "\(values.joined(separator: ", ")) FROM \(place(oldTable.name)) s\(joins)"
    if oldTable.entityType != nil {
      sql += " WHERE s.\(SQL.entity) = \(SQL.label(pair.old.name))"
    }
    try copy(sql, pair)
    try dropConversions(of: pair)
  }

  private func copy(_ sql: String, _ pair: MigrationMapping.Pair) throws {
    do {
      try connection.execute(sql)
    } catch {
      if error.isLostConnection { throw error }
      throw refusal(
        "Rows of \(pair.old.name) can't become rows of \(pair.new.name): \(error).",
        ["entity": pair.new.name, PostgreSQLStore.sqlStateErrorKey: error.state])
    }
  }
}
