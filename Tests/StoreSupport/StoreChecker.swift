import DataModels
import Foundation

@_spi(Engines) @testable import ManagedObjects

/// Checks a store with plain SQL for everything a foreign writer may break. It shares the schema with the writer, and
/// nothing else.
public struct StoreChecker {
  package let connection: SQLiteConnection
  package let schema: StoreSchema

  package init(_ url: URL, model: NSManagedObjectModel, version: FrameworkVersion = .current) throws
  {
    connection = try SQLiteConnection.reading(url)
    schema = try StoreSchema(model: model, version: version)
  }

  /// All findings; some dangling to-one keys are permitted, since real stores have some.
  public func findings() throws -> [String] {
    var findings: [String] = []
    if try connection.text("PRAGMA integrity_check") != "ok" { findings.append("not sound") }
    for table in schema.tables {
      guard let root = schema[number: table.rootNumber] else { continue }
      try add(
        &findings, "\(table.name): rows of foreign entities",
        "SELECT count(*) FROM \(table.name) WHERE Z_ENT IS NULL "
          + "OR Z_ENT NOT BETWEEN \(root.number) AND \(root.lastNumber)")
      try add(
        &findings, "\(table.name): versions below 1",
        "SELECT count(*) FROM \(table.name) WHERE Z_OPT IS NULL OR Z_OPT < 1")
      try add(
        &findings, "\(table.name): keys above the counter",
        "SELECT count(*) FROM \(table.name) WHERE Z_PK > "
          + "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number))")
    }
    for entity in schema.entities {
      for toOne in entity.toOnes.values {
        guard let target = schema[number: toOne.destination] else { continue }
        if let column = toOne.targetEntity {
          try add(
            &findings, "\(entity.name): \(column) differs from the target's entity",
            "SELECT count(*) FROM \(entity.table) a JOIN \(target.table) b ON a.\(toOne.key) = b.Z_PK "
              + "WHERE a.Z_ENT BETWEEN \(entity.number) AND \(entity.lastNumber) "
              + "AND a.\(column) IS NOT b.Z_ENT")
          try add(
            &findings, "\(entity.name): only one of \(toOne.key) and \(column)",
            "SELECT count(*) FROM \(entity.table) WHERE (\(toOne.key) IS NULL) <> (\(column) IS NULL)"
          )
        }
      }
    }
    for join in schema.joinTables {
      try add(
        &findings, "\(join.name): keys missing",
        "SELECT count(*) FROM \(join.name) WHERE \(join.ownerKey) IS NULL OR \(join.inverseKey) IS NULL"
      )
    }
    if try connection.hasTable("ACHANGE") { try checkHistory(&findings) }
    return findings
  }

  /// The number of to-one keys and join rows without a destination.
  public func danglingCount() throws -> Int64 {
    var count: Int64 = 0
    for entity in schema.entities where !entity.description.isAbstract {
      for toOne in entity.toOnes.values {
        guard let target = schema[number: toOne.destination] else { continue }
        count +=
          try connection.integer(
            "SELECT count(*) FROM \(entity.table) WHERE Z_ENT = \(entity.number) AND \(toOne.key) "
              + "IS NOT NULL AND \(toOne.key) NOT IN (SELECT Z_PK FROM \(target.table))") ?? 0
      }
    }
    for join in schema.joinTables {
      guard let owner = schema[number: join.ownerNumber],
        let inverse = schema[number: join.inverseOwnerNumber]
      else { continue }
      count +=
        try connection.integer(
          "SELECT count(*) FROM \(join.name) WHERE \(join.ownerKey) NOT IN (SELECT Z_PK FROM "
            + "\(owner.table)) OR \(join.inverseKey) NOT IN (SELECT Z_PK FROM \(inverse.table))")
        ?? 0
    }
    return count
  }

  private func checkHistory(_ findings: inout [String]) throws {
    try add(
      &findings, "history: changes without transaction",
      "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
    try add(
      &findings, "history: unknown kinds of change",
      "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE NOT BETWEEN 0 AND 2 OR Z_ENT <> 16001")
    try add(
      &findings, "history: columns given for others than updates",
      "SELECT count(*) FROM ACHANGE WHERE (ZCHANGETYPE = 1) <> (ZCOLUMNS IS NOT NULL)")
    try add(
      &findings, "history: names missing",
      "SELECT count(*) FROM ATRANSACTION WHERE ZPROCESSIDTS NOT IN "
        + "(SELECT Z_PK FROM ATRANSACTIONSTRING)")
  }

  private func add(_ findings: inout [String], _ what: String, _ sql: String) throws {
    let count = try connection.integer(sql) ?? 0
    if count > 0 { findings.append("\(what): \(count)") }
  }
}
