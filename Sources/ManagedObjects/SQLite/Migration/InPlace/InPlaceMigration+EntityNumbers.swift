import DataModels

/// Rows that other programs inserted.
extension InPlaceMigration {
  /// Gives the rows of a table with one entity that entity's number: as whatever stands there is read as an object of
  /// the entity, rows that other programs inserted may have none. In tables of several entities such rows aren't
  /// objects of any, and would be left behind.
  ///
  /// - Throws: a migration error for rows of no entity in a table that is rebuilt.
  func settleEntityNumbers(_ plan: Plan) throws {
    var related: Set<Int> = []
    for pair in pairs where plan.tables.contains(where: { $0.name == pair.new.table }) {
      related.insert(pair.old.rootNumber)
      related.formUnion(pair.old.toOnes.values.map(\.destination))
      related.formUnion(pair.old.toManys.values.map(\.destinationNumber))
    }
    if !plan.joins.isEmpty { related.formUnion(old.entities.map(\.rootNumber)) }
    let tables = Set(related.compactMap { old[number: $0]?.table })
    for table in old.tables where tables.contains(table.name) {
      guard let root = old[number: table.rootNumber] else { continue }
      let source = presentName(table.name)
      if old.isAlone(root) {
        try connection.execute(
          "UPDATE \(source) SET Z_ENT = \(root.number) WHERE Z_ENT IS NOT \(root.number)")
      } else if plan.remakes(table.name) {
        let count = try connection.integer(
          "SELECT count(*) FROM \(source) WHERE Z_ENT IS NULL "
            + "OR Z_ENT NOT BETWEEN \(root.number) AND \(root.lastNumber)")
        guard count == 0 else {
          throw MigrationError.failed(
            "Cannot migrate store in-place: \(count ?? 0) rows of \(table.name) are of no entity "
              + "of the model that the store was saved with (Z_ENT)", entity: root.name)
        }
      }
    }
  }
}
