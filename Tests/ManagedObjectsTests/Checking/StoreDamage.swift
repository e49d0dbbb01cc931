import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// A modification of a store, and the rule that must find it.
struct StoreDamage: CustomTestStringConvertible, Sendable {
  let rule: StoreFinding.Rule
  /// Other rules that find it too.
  var others: Set<StoreFinding.Rule> = []
  var apply: @Sendable (SQLiteConnection, StoreSchema, TemporaryFolder) throws -> Void = {
    _, _, _ in
  }
  /// A modification of the file itself, after the connection is closed.
  var applyToFile: (@Sendable (URL) throws -> Void)?

  var testDescription: String { rule.rawValue }

  /// Creates damage from SQL statements.
  init(_ rule: StoreFinding.Rule, others: Set<StoreFinding.Rule> = [], _ sql: String...) {
    self.rule = rule
    self.others = others
    apply = { connection, _, _ in for statement in sql { try connection.execute(statement) } }
  }

  init(
    _ rule: StoreFinding.Rule, others: Set<StoreFinding.Rule> = [],
    apply: @escaping @Sendable (SQLiteConnection, StoreSchema, TemporaryFolder) throws -> Void
  ) {
    self.rule = rule
    self.others = others
    self.apply = apply
  }

  static let all = file + metadata + rows + relationships + values + history

  private static let external = ".club_SUPPORT/_EXTERNAL_DATA"

  // MARK: The file

  private static let file: [StoreDamage] = [
    overwritingRoot(.integrity, of: "Z_Tag_UNIQUE_name", others: [.unreadable]),
    overwritingRoot(.unreadable, of: "ZTAG", others: [.integrity]),
    StoreDamage(.table, "DROP TABLE ZTOPIC"),
    StoreDamage(.column, "ALTER TABLE ZTOPIC DROP COLUMN ZTEXT"),
    StoreDamage(.uniqueIndex, "DROP INDEX Z_Tag_UNIQUE_name"),
    StoreDamage(.trigger) { connection, schema, _ in
      let trigger = try #require(schema.triggers.first)
      try connection.execute("DROP TRIGGER \(trigger.name)")
    },
  ]

  /// Damage of the first page of a table or index.
  private static func overwritingRoot(
    _ rule: StoreFinding.Rule, of name: String, others: Set<StoreFinding.Rule>
  ) -> StoreDamage {
    var damage = StoreDamage(rule, others: others, "PRAGMA wal_checkpoint(TRUNCATE)")
    damage.applyToFile = { try StoreDamage.overwriteRoot(of: name, in: $0) }
    return damage
  }

  /// Overwrites the first page of a table or index of a store that nobody has open.
  static func overwriteRoot(of name: String, in url: URL) throws {
    let page = try #require(
      try SQLiteConnection.reading(url).integer(
        "SELECT rootpage FROM sqlite_master WHERE name = '\(name)'"))
    let handle = try FileHandle(forWritingTo: url)
    try handle.seek(toOffset: UInt64(page - 1) * 4096)
    try handle.write(contentsOf: Data(repeating: 0xAB, count: 4096))
    try handle.close()
  }

  // MARK: Metadata

  private static let metadata: [StoreDamage] = [
    StoreDamage(.metadataRow, "UPDATE Z_METADATA SET Z_UUID = 'nobody'"),
    changing(.storeType) { $0[StoreMetadataKeys.type] = "Binary" },
    changing(.versionHashes, others: [.digest, .checksum, .modelCache]) { metadata in
      var hashes = metadata[StoreMetadataKeys.hashes] as? [String: Any] ?? [:]
      hashes["Tag"] = Data(repeating: 1, count: 32)
      metadata[StoreMetadataKeys.hashes] = hashes
    },
    changing(.digest) { $0[StoreMetadataKeys.digest] = "AAAA" },
    changing(.checksum) { $0[StoreMetadataKeys.checksum] = "AAAA" },
    StoreDamage(.modelCache, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'"),
    StoreDamage(.entityRow, "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Firm'"),
    StoreDamage(.entityName, "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Company' WHERE Z_NAME = 'Firm'"),
    StoreDamage(.keyCounter, "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Party'"),
  ]

  private static func changing(
    _ rule: StoreFinding.Rule, others: Set<StoreFinding.Rule> = [],
    _ change: @escaping @Sendable (inout [String: Any]) -> Void
  ) -> StoreDamage {
    StoreDamage(rule, others: others) { connection, _, _ in
      var metadata = try connection.readMetadata()
      change(&metadata)
      try connection.writeMetadata(metadata)
    }
  }

  // MARK: Rows

  private static let rows: [StoreDamage] = [
    StoreDamage(.entityNumber, "UPDATE ZTAG SET Z_ENT = 99"),
    StoreDamage(.rowVersion, "UPDATE ZTAG SET Z_OPT = 0"),
    StoreDamage(.foreignValue) { connection, schema, _ in
      let firm = try #require(schema["Firm"]).number
      try connection.execute("UPDATE ZPARTY SET ZAGE = 3 WHERE Z_ENT = \(firm)")
    },
    StoreDamage(.required, "UPDATE ZPARTY SET ZNAME = NULL WHERE Z_PK = 1"),
    StoreDamage(.valueType, "UPDATE ZPARTY SET ZAGE = 99999 WHERE ZAGE = 20"),
    StoreDamage(.valueType, "UPDATE ZPARTY SET ZCODE = x'0011' WHERE ZCODE IS NOT NULL"),
    StoreDamage(.valueType, "UPDATE ZCLUB SET ZFEE = 'much'"),
    StoreDamage(.textEncoding, "UPDATE ZPARTY SET ZNAME = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 1"),
    StoreDamage(
      .uniqueness, others: [.uniqueIndex, .keyCounter], "DROP INDEX Z_Tag_UNIQUE_name",
      "INSERT INTO ZTAG (Z_ENT, Z_OPT, ZNAME) SELECT Z_ENT, 1, ZNAME FROM ZTAG"),
  ]

  // MARK: Relationships

  private static let relationships: [StoreDamage] = [
    StoreDamage(.danglingKey, "UPDATE ZTOPIC SET ZCLUB = 77 WHERE Z_PK = 1"),
    StoreDamage(.targetEntity) { connection, schema, _ in
      let column = try #require(schema["Person"]?.toOnes["mentor"]?.targetEntity)
      try connection.execute("UPDATE ZPARTY SET \(column) = 1 WHERE ZMENTOR IS NOT NULL")
    },
    StoreDamage(.targetEntity) { connection, schema, _ in
      let person = try #require(schema["Person"]).number
      try connection.execute(
        "UPDATE ZPARTY SET ZEMPLOYER = (SELECT max(Z_PK) FROM ZPARTY WHERE Z_ENT = \(person)) "
          + "WHERE ZEMPLOYER IS NOT NULL")
    },
    StoreDamage(.inverse, "UPDATE ZPASSPORT SET ZHOLDER = NULL WHERE ZNUMBER = 'P1'"),
    StoreDamage(.joinKey) { connection, schema, _ in
      let join = try #require(schema.joinTables.first)
      try connection.execute("INSERT INTO \(join.name) (\(join.ownerKey)) VALUES (1)")
    },
    StoreDamage(.danglingJoin) { connection, schema, _ in
      let join = try #require(schema.joinTables.first)
      try connection.execute(
        "INSERT INTO \(join.name) (\(join.ownerKey), \(join.inverseKey)) VALUES (71, 72)")
    },
    StoreDamage(.memberCount) { connection, schema, _ in
      try connection.execute("DELETE FROM \(try #require(schema.joinTables.first).name)")
    },
    StoreDamage(.orderKey, "UPDATE ZTOPIC SET Z_FOK_CLUB = NULL WHERE Z_PK = 1"),
    StoreDamage(.orderTie, "UPDATE ZTOPIC SET Z_FOK_CLUB = 5"),
  ]

  // MARK: External values

  private static let values: [StoreDamage] = [
    StoreDamage(.externalTag, "UPDATE ZPARTY SET ZPICTURE = x'0501' WHERE length(ZPICTURE) < 10"),
    StoreDamage(
      .externalTag, others: [.externalUnreferenced],
      "UPDATE ZPARTY SET ZPICTURE = x'022E2E2F782F00' WHERE length(ZPICTURE) = 38"),
    StoreDamage(.externalMissing) { _, _, folder in
      let external = folder.file(external)
      for name in try FileManager.default.contentsOfDirectory(atPath: external.path) {
        try FileManager.default.removeItem(at: external.appendingPathComponent(name))
      }
    },
    StoreDamage(.externalUnreferenced) { _, _, folder in
      try Data([1]).write(to: folder.file("\(external)/\(UUID().uuidString)"))
    },
  ]

  // MARK: History

  private static let history: [StoreDamage] = [
    StoreDamage(.historyTransaction, "DELETE FROM ATRANSACTION WHERE Z_PK = 1"),
    StoreDamage(.historyChange, "UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE ZCHANGETYPE = 2"),
    StoreDamage(.historyChange, "UPDATE ACHANGE SET ZENTITY = 99 WHERE ZCHANGETYPE = 0"),
    StoreDamage(.historyColumns, "UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE ZCHANGETYPE = 1"),
    StoreDamage(
      .historyColumns, "UPDATE ACHANGE SET ZCOLUMNS = x'0011223344' WHERE ZCHANGETYPE = 1"),
    StoreDamage(.historyText, "DELETE FROM ATRANSACTIONSTRING WHERE ZNAME = 'tests'"),
  ]
}
