import DataModels
import Foundation
import ModelEvolution

/// Turns a store of one model into a store of another, in its own file and in one transaction.
///
/// Tables that stay as they are aren't touched. The others are renamed, made anew as the new layout
/// has them, filled from their old forms by SQL, and the old forms dropped: after that the store is
/// laid out like one that was made with the new model, with the rows' old keys.
final class InPlaceMigration {
  let connection: SQLiteConnection
  let oldModel: NSManagedObjectModel
  let newModel: NSManagedObjectModel
  let old: StoreSchema
  let new: StoreSchema
  let progress: MigrationProgress
  let url: URL
  /// Whether a copy of the store lies beside it meanwhile; needless where it is a copy itself.
  var keepsSafetyCopy = true
  /// The pairs by their old entities' numbers, and by their new ones'.
  private(set) var pairsByOld: [Int: MigrationPair] = [:]
  private(set) var pairsByNew: [Int: MigrationPair] = [:]
  /// The names that old tables have now.
  var presentNames: [String: String] = [:]
  /// What the program itself put into the file, and can't be kept.
  var lostObjects: [String] = []
  /// External files whose rows or attributes went.
  var obsoleteFiles: [URL] = []

  /// What was done.
  struct Outcome {
    /// Names of indexes and triggers of the program's own that had to go.
    var lostObjects: [String] = []
  }

  /// Prepares a migration of the store that `connection` has open for writing.
  ///
  /// - Throws: ``SchemaError`` for models that can't be laid out; ``NSInferredMappingModelError``.
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

  /// The pairs in the order of their new entities.
  var pairs: [MigrationPair] { new.entities.compactMap { pairsByNew[$0.number] } }

  /// Migrates.
  ///
  /// - Parameter isExpected: asked, with the write lock held, whether the store is still of the old
  ///   model; false leaves it alone.
  func run(isExpected: () throws -> Bool) throws -> Outcome {
    do {
      try connection.registerCoreDataFunctions()
      // Renaming a table must not rewrite what else names it.
      try connection.execute("PRAGMA legacy_alter_table=ON; PRAGMA recursive_triggers=OFF")
      defer { try? connection.execute("PRAGMA legacy_alter_table=OFF") }
      let copy = SafetyCopy(of: url)
      // A disk that is full may only say so when the transaction is committed.
      defer { copy.removeLeftOver(connection) }
      try connection.transaction(.immediate) {
        guard try isExpected() else { return }
        if keepsSafetyCopy { try copy.make(of: connection, at: url, progress) }
        // Whatever else ends this transaction, it ends here: before the lock is given up.
        do { try connection.interrupting(when: { progress.isCancelled }) { try migrate() } } catch {
          copy.remove()
          throw error
        }
      }
    } catch let error as SQLiteError {
      throw MigrationError.database(error, isCancelled: progress.isCancelled)
    }
    for file in obsoleteFiles { try? FileManager.default.removeItem(at: file) }
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
    try restore(objects)
    try connection.execute("DROP TABLE temp.Z_MIGRATION")
    try writeStoreMetadata()
    try progress.step()
  }

  // MARK: Keys

  /// Finds out which rows need other keys: those of tables that join another one.
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
        next += try highestKey(name)
      }
    }
  }

  /// The highest key that an old table's hierarchy ever gave out.
  func highestKey(_ table: String) throws -> Int64 {
    guard let root = old.table(table)?.rootNumber else { return 0 }
    return max(
      try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root)") ?? 0,
      try connection.integer("SELECT max(Z_PK) FROM \(presentName(table))") ?? 0)
  }

  /// A table that tells each old entity's new number and its rows' shift.
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
          "Cannot migrate store in-place: the entity \(pair.new.name) is abstract now, and the "
            + "store has \(count ?? 0) objects of it", entity: pair.new.name)
      }
    }
  }
}

/// An entity of the old layout and the one of the new layout that goes on with its rows.
struct MigrationPair {
  let old: SchemaEntity
  let new: SchemaEntity
  /// For each attribute of the new entity that goes on with an old one, the old one's name.
  let attributes: [String: String]
  /// For each relationship of the new entity that goes on with an old one, the old one's name.
  let relationships: [String: String]
  /// What is added to the rows' keys: not 0 only where rows of two tables meet in one.
  var shift: Int64 = 0
}
