import DataModels
import MomKit
import RelationalSchemas

/// Persistent history, which has the keys of objects and the names of entities and properties.
extension PostgreSQLMigration {
  /// Makes the recorded changes those of the migrated objects. Changes of entities that the new model doesn't have are
  /// deleted: later, an entity of that name is another one.
  func migrateHistory() throws {
    guard try HistoryTables.isUsed(connection) == true else { return }
    var known = PostgreSQLParameters()
    known.append(texts: mapping.pairs.map(\.old.name))
    try connection.run(
      PostgreSQLConnection.Statement(
        "DELETE FROM \(HistoryTables.changes) WHERE entity <> ALL ($1)", known))
    let renamings = mapping.pairs.map { Renaming($0, shift(of: $0), mapping) }
      .filter { !$0.changesNothing }
    guard !renamings.isEmpty else { return }
    var parameters = PostgreSQLParameters()
    parameters.append(texts: renamings.map(\.pair.old.name))
    parameters.append(texts: renamings.map(\.pair.new.name))
    parameters.append(keys: renamings.map(\.shift))
    let names = renamings.flatMap { renaming in
      renaming.names.map { (entity: renaming.pair.old.name, $0.old, $0.new, $0.isPreserved) }
    }
    parameters.append(texts: names.map(\.entity))
    parameters.append(texts: names.map(\.1))
    parameters.append(texts: names.map(\.2))
    parameters.append(keys: names.map { $0.3 ? 1 : 0 })
    // In one statement, since entities and properties may exchange their names.
    var statement = PostgreSQLConnection.Statement(
      """
      WITH e AS (SELECT * FROM unnest($1, $2, $3) AS v(old, new, shift)),
      n AS (SELECT * FROM unnest($4, $5, $6, $7) AS v(entity, old, new, preserved))
      UPDATE \(HistoryTables.changes) c SET entity = e.new, key = c.key + e.shift,
        properties = (
          SELECT array_agg(n.new ORDER BY p.place) FROM unnest(c.properties) WITH ORDINALITY AS p(name, place)
          JOIN n ON n.entity = c.entity AND n.old = p.name),
        tombstone = (
          SELECT jsonb_object_agg(n.new, t.value) FROM jsonb_each(c.tombstone) t
          JOIN n ON n.entity = c.entity AND n.old = t.key AND n.preserved = 1)
      FROM e WHERE e.old = c.entity
      """, parameters)
    statement.isKept = false
    try connection.run(statement)
  }

  /// What the changes of an entity's objects become.
  private struct Renaming {
    let pair: MigrationMapping.Pair
    let shift: Int64
    /// The properties that go on, and whether the values of deleted objects are preserved.
    let names: [(old: String, new: String, isPreserved: Bool)]
    let changesNothing: Bool

    init(_ pair: MigrationMapping.Pair, _ shift: Int64, _ mapping: MigrationMapping) {
      (self.pair, self.shift) = (pair, shift)
      let before = mapping.oldModel.entitiesByName[pair.old.name]
      let after = mapping.newModel.entitiesByName[pair.new.name]
      names = pair.properties.sorted { $0.key < $1.key }.map { new, old in
        (old, new, after?.attributesByName[new]?.preservesValueInHistoryOnDeletion == true)
      }
      let isPreserved = Dictionary(
        names.filter { $0.old == $0.new }.map { ($0.old, $0.isPreserved) },
        uniquingKeysWith: { first, _ in first })
      changesNothing =
        pair.old.name == pair.new.name && shift == 0
        && (before?.propertiesByName ?? [:]).values.allSatisfy { property in
          let attribute = property as? NSAttributeDescription
          guard let isPreserved = isPreserved[property.name] else { return false }
          return isPreserved || attribute?.preservesValueInHistoryOnDeletion != true
        }
    }
  }
}
