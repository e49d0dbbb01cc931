import DataModels
import Foundation
@_spi(Engines) import MomKit

/// Persistent history in tables: transactions, numbered in the order of their commits, and their changes.
///
/// The number is assigned at the very end of a transaction, under a lock on one row, so that a reader that has seen a
/// number misses no lower one. The lock is held while the server commits, not while a client computes.
enum HistoryTables {
  typealias Statement = PostgreSQLConnection.Statement

  static let names = ["_momkit_history", "_momkit_transaction", "_momkit_change"]
  static let counter = SQL.quoted(names[0])
  static let transactions = SQL.quoted(names[1])
  static let changes = SQL.quoted(names[2])

  static let creation = [
    """
    CREATE TABLE IF NOT EXISTS \(counter) (
      last bigint NOT NULL DEFAULT 0,
      only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one)
    )
    """,
    "INSERT INTO \(counter) DEFAULT VALUES ON CONFLICT DO NOTHING",
    """
    CREATE TABLE IF NOT EXISTS \(transactions) (
      number bigint PRIMARY KEY,
      time timestamptz NOT NULL DEFAULT clock_timestamp(),
      bundle text, process text, context text, author text
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS \(changes) (
      number bigint GENERATED ALWAYS AS IDENTITY,
      transaction bigint NOT NULL REFERENCES \(transactions) ON DELETE CASCADE,
      entity text NOT NULL, key bigint NOT NULL, kind smallint NOT NULL,
      properties text[], tombstone jsonb,
      PRIMARY KEY (transaction, number)
    )
    """,
  ]

  /// A change to one object.
  struct Change {
    let entity: String
    let key: Int64
    let kind: NSPersistentHistoryChangeType
    /// The names of the changed properties.
    var properties: [String]?
    /// The values preserved after deletion, as a JSON object.
    var tombstone: Data?
  }

  /// Whether the store has recorded transactions, or nil if it has no history tables.
  static func isUsed(_ connection: PostgreSQLConnection) throws -> Bool? {
    var isThere = false
    try connection.run(
      Statement(
        "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() "
          + "AND table_name = '_momkit_history'")
    ) { _ in isThere = true }
    guard isThere else { return nil }
    var isUsed = false
    try connection.run(Statement("SELECT 1 FROM \(transactions) LIMIT 1")) { _ in isUsed = true }
    return isUsed
  }

  /// Returns the statements that record a transaction; they come last before its commit.
  static func statements(
    _ changes: [Change], context: String?, author: String?
  ) throws -> [Statement] {
    guard !changes.isEmpty else { return [] }
    if let context { try PostgreSQLCodec.check(context, "the context's name") }
    if let author { try PostgreSQLCodec.check(author, "transactionAuthor") }
    let text = PostgreSQLParameters.TypeNumber.text
    func optional(_ value: String?) -> PostgreSQLValue { value.map { .text($0) } ?? .null(text) }
    var origin = PostgreSQLParameters()
    origin.append(optional(Bundle.main.bundleIdentifier))
    origin.append(optional(ProcessInfo.processInfo.processName))
    origin.append(optional(context))
    origin.append(optional(author))
    var rows = PostgreSQLParameters()
    rows.append(texts: changes.map(\.entity))
    rows.append(keys: changes.map(\.key))
    rows.append(
      array: changes.map { .int2(Int16($0.kind.rawValue)) },
      of: PostgreSQLParameters.TypeNumber.int2)
    rows.append(
      array: changes.map { $0.properties.map { .text($0.joined(separator: "\n")) } ?? .null(text) },
      of: text)
    let json = PostgreSQLParameters.TypeNumber.json
    rows.append(array: changes.map { $0.tombstone.map { .json($0) } ?? .null(json) }, of: json)
    return [
      Statement("UPDATE \(counter) SET last = last + 1"),
      Statement(
        "INSERT INTO \(transactions) (number, bundle, process, context, author) "
          + "SELECT last, $1, $2, $3, $4 FROM \(counter)", origin),
      Statement(
        "INSERT INTO \(Self.changes) (transaction, entity, key, kind, properties, tombstone) "
          + "SELECT h.last, e, k, d, string_to_array(p, E'\\n'), t FROM \(counter) h, "
          + "unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS v(e, k, d, p, t, n) ORDER BY n", rows),
    ]
  }

  // MARK: Tombstones

  /// Returns the attributes that are preserved after deletion, by slot.
  static func tombstones(_ table: EntityTable) -> [EntityTable.Slot] {
    table.slots.filter {
      ($0.property.description as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion
        ?? false
    }
  }

  /// Returns the preserved values of a row as JSON, or nil if there are none.
  static func tombstone(
    _ slots: [EntityTable.Slot], _ values: [StoredValue]
  ) throws -> Data? {
    var object: [String: Any] = [:]
    for slot in slots {
      guard let attribute = slot.property.description as? NSAttributeDescription,
        values.indices.contains(slot.property.slot)
      else { continue }
      let stored = values[slot.property.slot]
      // A transformable value that nobody has asked for is still the transformer's output.
      if attribute.attributeType == .transformableAttributeType, case .data(let bytes) = stored {
        object[slot.property.name] = bytes.base64EncodedString()
        continue
      }
      guard let value = slot.property.object(of: stored),
        let json = try CompositeJSON.json(value, attribute)
      else { continue }
      object[slot.property.name] = json
    }
    return object.isEmpty
      ? nil : try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
  }

  /// Reads the values that ``tombstone(_:_:)`` wrote.
  static func values(_ data: Data, _ layout: EntityLayout) -> [AnyHashable: Any]? {
    guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      return nil
    }
    var values: [AnyHashable: Any] = [:]
    for (name, json) in object {
      guard let attribute = layout.property(name)?.description as? NSAttributeDescription else {
        continue
      }
      values[name] = CompositeJSON.value(json, attribute)
    }
    return values.isEmpty ? nil : values
  }
}
