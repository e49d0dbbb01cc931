import DataModels
import Foundation
import ModelEvolution

/// Migrates a store from one model to another, in its own file and in one transaction.
///
/// Tables that don't change aren't touched. The others are renamed, created with the new schema, and filled from the
/// old tables by SQL; then the old tables are dropped. The store then has the same schema as one created with the new
/// model, and its rows have their old keys.
final class InPlaceMigration {
  let connection: SQLiteConnection
  let oldModel: NSManagedObjectModel
  let newModel: NSManagedObjectModel
  let old: StoreSchema
  let new: StoreSchema
  let progress: MigrationProgress
  let url: URL
  /// Whether a safety copy of the store exists meanwhile; unnecessary if the store itself is a copy.
  var keepsSafetyCopy = true
  /// Whether history is tracked from now on, even if the store has none.
  var tracksHistory = false
  /// The pairs by the old entity's number, and by the new one's.
  private(set) var pairsByOld: [Int: MigrationPair] = [:]
  private(set) var pairsByNew: [Int: MigrationPair] = [:]
  /// The current names of old tables.
  var presentNames: [String: String] = [:]
  /// Indexes and triggers of the program that can't be kept.
  var lostObjects: [String] = []
  /// External files of removed rows or attributes.
  var obsoleteFiles: [URL] = []

  /// The outcome of a migration.
  struct Outcome {
    /// The names of the program's indexes and triggers that had to be dropped.
    var lostObjects: [String] = []
  }

  /// Prepares a migration of the store that `connection` has open for writing.
  ///
  /// - Throws: ``SchemaError`` for models without a valid schema; ``NSInferredMappingModelError``.
  init(
    _ connection: SQLiteConnection, at url: URL, from oldModel: NSManagedObjectModel,
    to newModel: NSManagedObjectModel, version: FrameworkVersion, progress: MigrationProgress
  ) throws {
    self.connection = connection
    self.url = url
    self.oldModel = oldModel
    self.newModel = newModel
    self.progress = progress
    old = try StoreSchema(model: oldModel, version: version)
    new = try StoreSchema(model: newModel, version: max(version, .current))
    let correspondence = InferredCorrespondence(from: oldModel, to: newModel)
    if let error = correspondence.error { throw error }
    for match in correspondence.entities.values {
      guard let before = old[match.old], let after = new[match.new] else { continue }
      let pair = MigrationPair(
        old: before, new: after, attributes: match.attributes, relationships: match.relationships)
      pairsByOld[before.number] = pair
      pairsByNew[after.number] = pair
    }
  }

  /// The pairs, ordered by new entity.
  var pairs: [MigrationPair] { new.entities.compactMap { pairsByNew[$0.number] } }

  /// Runs the migration.
  ///
  /// - Parameter isExpected: called with the write lock held; returns whether the store still has the old model. If
  ///   false, nothing is changed.
  func run(isExpected: () throws -> Bool) throws -> Outcome {
    do {
      try connection.registerCoreDataFunctions()
      // Renaming a table must not rewrite references to it.
      try connection.execute("PRAGMA legacy_alter_table=ON; PRAGMA recursive_triggers=OFF")
      defer { try? connection.execute("PRAGMA legacy_alter_table=OFF") }
      let copy = SafetyCopy(of: url)
      // A full disk may be reported only when the transaction is committed.
      defer { copy.removeLeftOver(connection) }
      try connection.transaction(.immediate) {
        guard try isExpected() else { return }
        // What is in memory doesn't outlive the process anyway.
        if keepsSafetyCopy, connection.path != ":memory:" {
          try copy.make(of: connection, at: url, progress)
        }
        // On an error the copy is removed here, before the lock is released.
        do { try connection.interrupting(when: { progress.isCancelled }) { try migrate() } } catch {
          copy.remove()
          throw error
        }
      }
    } catch let error as SQLiteError {
      throw MigrationError.database(error, isCancelled: progress.isCancelled)
    }
    RetiredFiles.remove(obsoleteFiles, of: ExternalData(store: url).folder)
    progress.finish()
    return Outcome(lostObjects: lostObjects)
  }

  private func migrate() throws {
    guard try !connection.isMirrored else {
      throw MigrationError.failed(
        "The store is mirrored with CloudKit, whose records would lose their objects.")
    }
    try shiftKeys()
    try writeEntityMap()
    let plan = try tablePlan()
    progress.begin(steps: plan.tables.count + plan.joins.count + 8)
    let objects = try removeIndexesAndTriggers(touching: plan)
    try checkAbstractEntities()
    try settleEntityNumbers(plan)
    try setAside(plan)
    for table in plan.tables {
      try progress.step()
      try fill(table)
    }
    try progress.step()
    try fillForeignKeys(plan)
    for join in plan.joins {
      try progress.step()
      try fill(join)
    }
    try progress.step()
    try fillPositions(plan)
    try fillDerivedAttributes()
    try progress.step()
    try noteObsoleteFiles(plan)
    try dropSetAside()
    try progress.step()
    try addIndexes()
    try validate()
    try progress.step()
    try migrateHistory()
    try writePrimaryKeys()
    try progress.step()
    try addTriggers()
    lostObjects += try connection.restore(objects)
    try connection.execute("DROP TABLE temp.Z_MIGRATION")
    try writeStoreMetadata()
    try progress.step()
  }

  // MARK: Keys

  /// Determines which rows need new keys: those of tables that are merged with another one.
  private func shiftKeys() throws {
    for table in new.tables {
      var groups: [String: [MigrationPair]] = [:]
      for pair in pairs where pair.new.table == table.name {
        groups[pair.old.table, default: []].append(pair)
      }
      guard groups.count > 1 else { continue }
      let home =
        pairsByNew[table.rootNumber]?.old.table
        ?? groups.values.compactMap(\.first).min { $0.old.number < $1.old.number }?.old.table ?? ""
      var next = try highestKey(home)
      for (name, members) in groups.sorted(by: { $0.key < $1.key }) where name != home {
        for member in members {
          pairsByOld[member.old.number]?.shift = next
          pairsByNew[member.new.number]?.shift = next
        }
        let (sum, isTooMuch) = next.addingReportingOverflow(try highestKey(name))
        guard !isTooMuch else { throw noKeysLeft(name, next) }
        next = sum
      }
    }
  }

  func noKeysLeft(_ name: String, _ last: Int64) -> NSError {
    MigrationError.failed(
      "Cannot migrate store in-place: there are no keys left for '\(name)': the last one is \(last)"
    )
  }

  /// The highest key ever used in an old table's hierarchy.
  func highestKey(_ table: String) throws -> Int64 {
    guard let root = old.table(table)?.rootNumber else { return 0 }
    return max(
      try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root)") ?? 0,
      try connection.integer("SELECT max(Z_PK) FROM \(presentName(table))") ?? 0)
  }

  /// Creates a table that maps each old entity to its new number and the shift of its rows' keys.
  private func writeEntityMap() throws {
    try connection.execute(
      "DROP TABLE IF EXISTS temp.Z_MIGRATION; "
        + "CREATE TEMP TABLE Z_MIGRATION (OLD INTEGER PRIMARY KEY, NEW INTEGER, SHIFT INTEGER)")
    for pair in pairs {
      try connection.execute(
        "INSERT INTO temp.Z_MIGRATION VALUES (\(pair.old.number), \(pair.new.number), \(pair.shift))"
      )
    }
  }

  func presentName(_ table: String) -> String { presentNames[table] ?? table }

  private func checkAbstractEntities() throws {
    for pair in pairs where pair.new.description.isAbstract {
      let count = try connection.integer(
        "SELECT count(*) FROM \(presentName(pair.old.table)) WHERE Z_ENT = \(pair.old.number)")
      guard count == 0 else {
        throw MigrationError.failed(
          "Cannot migrate store in-place: the entity \(pair.new.name) is now abstract, and the "
            + "store has \(count ?? 0) objects of it", entity: pair.new.name)
      }
    }
  }
}

/// An entity of the old schema, and the one of the new schema that continues it.
struct MigrationPair {
  let old: SchemaEntity
  let new: SchemaEntity
  /// The name of the old attribute that each attribute of the new entity continues, if any.
  let attributes: [String: String]
  /// The name of the old relationship that each relationship of the new entity continues, if any.
  let relationships: [String: String]
  /// The shift of the rows' keys; not 0 only if rows of two tables are merged in one.
  var shift: Int64 = 0
}
