import DataModels
import Foundation
import MomKit

/// A store's record of itself, in a table with one row: its UUID, its metadata, and the model that its tables are
/// for.
struct StoreRecord {
  static let name = "_momkit"
  static let table = SQL.quoted(name)
  /// The version of the table layout.
  static let form: Int64 = 1
  /// The lock held while creating, migrating or destroying a store.
  static let lock = "pg_advisory_xact_lock(hashtext('MomKit'), hashtext(current_schema()))"
  /// The shared lock held while writing rows.
  static let sharedLock =
    "pg_advisory_xact_lock_shared(hashtext('MomKit'), hashtext(current_schema()))"

  /// How many times the tables have been migrated to another model.
  var generation: Int64 = 0
  var identifier: String
  var metadata: [String: Any]
  var model: Data

  static let creation = """
    CREATE TABLE \(table) (
      form bigint NOT NULL,
      generation bigint NOT NULL DEFAULT 0,
      identifier text NOT NULL,
      metadata text NOT NULL,
      model bytea NOT NULL,
      only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one)
    )
    """

  /// Returns metadata as stored in the table: an XML property list, which other programs can read, or the Base64 of a
  /// binary one. XML doesn't keep fractions of seconds and control characters.
  static func text(_ metadata: [String: Any]) throws -> String {
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      try PostgreSQLCodec.check(key, "metadata")
      try check(value, "metadata[\"\(key)\"]")
    }
    let binary = try PropertyListSerialization.data(
      fromPropertyList: metadata, format: .binary, options: 0)
    let xml = try PropertyListSerialization.data(
      fromPropertyList: metadata, format: .xml, options: 0)
    let text = String(decoding: xml, as: UTF8.self)
    let isKept =
      (try? Self.metadata(text)).map { NSDictionary(dictionary: $0) }
      == (try? propertyList(binary)).map { NSDictionary(dictionary: $0) }
    return isKept ? text : binary.base64EncodedString()
  }

  /// Returns the metadata that ``text(_:)`` has made a text of.
  private static func metadata(_ text: String) throws -> [String: Any] {
    try propertyList(Data(base64Encoded: text) ?? Data(text.utf8))
  }

  private static func propertyList(_ data: Data) throws -> [String: Any] {
    try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] ?? [:]
  }

  private static func check(_ value: Any, _ name: String) throws {
    switch value {
    case let text as String: try PostgreSQLCodec.check(text, name)
    case let members as [Any]: for member in members { try check(member, name) }
    case let members as [String: Any]:
      for (key, member) in members {
        try PostgreSQLCodec.check(key, name)
        try check(member, name)
      }
    default: break
    }
  }

  /// Returns the statement that inserts the row.
  func insertion() throws -> PostgreSQLConnection.Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(Self.form)
    parameters.append(identifier)
    parameters.append(try Self.text(metadata))
    parameters.append(.bytes(model))
    parameters.append(generation)
    return PostgreSQLConnection.Statement(
      "INSERT INTO \(Self.table) (form, identifier, metadata, model, generation) "
        + "VALUES ($1, $2, $3, $4, $5)",
      parameters)
  }

  /// Returns the statement that replaces the metadata.
  ///
  /// - Parameter identifier: the store's new UUID, or nil if it keeps the one it has.
  static func update(
    _ metadata: [String: Any], identifier: String? = nil
  ) throws -> PostgreSQLConnection.Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(try text(metadata))
    var sql = "UPDATE \(table) SET metadata = $1"
    if let identifier {
      try PostgreSQLCodec.check(identifier, "identifier")
      parameters.append(identifier)
      sql += ", identifier = $2"
    }
    return PostgreSQLConnection.Statement(sql, parameters)
  }

  /// A program's new metadata, together with the store's own entries of the present metadata.
  static func keepingOwn(
    of present: [String: Any], in metadata: [String: Any]
  ) -> [String: Any] {
    var kept = metadata
    for key in [
      NSStoreTypeKey, NSStoreUUIDKey, NSStoreModelVersionHashesKey,
      NSStoreModelVersionIdentifiersKey,
    ] { kept[key] = present[key] }
    return kept
  }

  /// Returns the existing store's record, or nil if there is no store.
  static func read(_ connection: PostgreSQLConnection) throws -> StoreRecord? {
    var isThere = false
    try connection.run(
      PostgreSQLConnection.Statement(
        "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() "
          + "AND table_name = '_momkit'")
    ) { _ in isThere = true }
    guard isThere else { return nil }
    var record: StoreRecord?
    var form: Int64 = 0
    try connection.run(
      PostgreSQLConnection.Statement(
        "SELECT form, identifier, metadata, model, generation FROM \(table)")
    ) { row in
      form = try row.integer(0)
      record = StoreRecord(
        generation: try row.integer(4), identifier: row.text(1),
        metadata: try metadata(row.text(2)), model: row.data(3))
    }
    guard var record else { return nil }
    guard form == Self.form else {
      throw PostgreSQLStore.error(
        NSPersistentStoreIncompatibleSchemaError,
        "The store's tables have the layout version \(form); this version of MomKit knows \(Self.form)."
      )
    }
    record.metadata[NSStoreUUIDKey] = record.identifier
    record.metadata[NSStoreTypeKey] = NSPostgreSQLStoreType
    return record
  }

  /// Returns the model that the tables were created for.
  func storedModel() throws -> NSManagedObjectModel {
    do { return try ModelArchive.decode([UInt8](model)) } catch {
      throw PostgreSQLStore.error(
        NSPersistentStoreIncompatibleSchemaError,
        "The copy of the model in the store can't be read: \(error).")
    }
  }
}
