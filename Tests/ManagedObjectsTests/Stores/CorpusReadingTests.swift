import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Every row of every real store, read through objects, matches plain SQL.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusReadingTests {
  static let stores = CorpusSchemaTests.withModel

  @Test(arguments: stores)
  func objectsEqualRows(store: Corpus.File) throws {
    let folder = store.url.deletingLastPathComponent()
    let before = try TemporaryFolder.contents(of: folder)
    do {
      let model = try #require(try CorpusStore.model(of: store))
      let coordinator = try TestStore.coordinator(
        model, at: store.url, options: [NSReadOnlyPersistentStoreOption: true])
      let context = TestStore.context(coordinator)
      context.retainsRegisteredObjects = true
      let raw = try RawStore(store.url, model: model)
      for entity in raw.schema.entities { try compare(entity, raw, context) }
    }
    #expect(try TemporaryFolder.contents(of: folder) == before)
  }

  private func compare(
    _ entity: SchemaEntity, _ raw: RawStore, _ context: NSManagedObjectContext
  ) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
    request.includesSubentities = false
    let objects = try context.fetch(request)
    let rows = try raw.rows(of: entity)
    #expect(objects.count == rows.count)
    for object in objects {
      let row = try #require(rows[object.objectID.key])
      #expect(object.version == Int64(row["Z_OPT"] ?? ""))
      for (name, column) in entity.attributes where !name.contains(".") {
        let property = try #require(object.layout.propertiesByName[name])
        #expect(
          text(object.storedValue(at: property.slot)) == row[column] ?? "NULL",
          "\(entity.name).\(name) of \(object.objectID)")
      }
      for (name, toOne) in entity.toOnes {
        #expect(
          object.objectIDs(forRelationshipNamed: name).first.map { "\($0.key)" } ?? "NULL"
            == row[toOne.key] ?? "NULL")
      }
      for (name, storage) in entity.toManys {
        let isOrdered = object.entity.relationshipsByName[name]?.isOrdered == true
        let keys = object.objectIDs(forRelationshipNamed: name).map(\.key)
        let expected = try raw.destinations(of: object.objectID.key, storage)
        #expect(isOrdered ? keys == expected : keys.sorted() == expected.sorted())
      }
    }
  }

  private func text(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .data(let data): data.map { String(format: "%02X", $0) }.joined()
    case .reference(let id): "\(id.key)"
    case .box(let box):
      switch box.value {
      case let uuid as UUID: uuid.uuidString.replacing("-", with: "")
      case let url as URL: url.absoluteString
      case let decimal as Decimal: "\(Double(decimal.description) ?? 0)"
      default: "\(box.value)"
      }
    }
  }
}

/// A store as seen by plain SQL, with values as text.
private struct RawStore {
  let schema: StoreSchema
  private let connection: SQLiteConnection
  private let model: NSManagedObjectModel

  init(_ url: URL, model: NSManagedObjectModel) throws {
    connection = try SQLiteConnection.reading(url)
    schema = try StoreSchema(model: model)
    self.model = model
  }

  func rows(of entity: SchemaEntity) throws -> [Int64: [String: String]] {
    var rows: [Int64: [String: String]] = [:]
    let floats = Set(
      entity.attributes.filter { name, _ in
        [.doubleAttributeType, .floatAttributeType, .dateAttributeType, .decimalAttributeType]
          .contains(entity.attributeType(name))
      }.map(\.value))
    let external = Set(
      entity.attributes.filter { name, _ in
        entity.description.attributesByName[name]?.allowsExternalBinaryDataStorage == true
      }.map(\.value))
    try connection.withStatement(
      "SELECT * FROM \(entity.table) WHERE Z_ENT = \(entity.number)"
    ) { row in
      while try row.step() {
        var values: [String: String] = [:]
        var key: Int64 = 0
        for index in 0..<Int32(row.columnCount) {
          let name = row.name(at: index)
          if name == "Z_PK" { key = row.integer(at: index) }
          switch row.type(at: index) {
          case .null: continue
          case .integer:
            values[name] =
              floats.contains(name) ? "\(row.double(at: index))" : "\(row.integer(at: index))"
          case .real: values[name] = "\(row.double(at: index))"
          case .text: values[name] = row.text(at: index)
          case .blob:
            var bytes = row.blob(at: index) ?? Data()
            if external.contains(name), bytes.first == 1 { bytes.removeFirst() }
            values[name] = bytes.map { String(format: "%02X", $0) }.joined()
          }
        }
        rows[key] = values
      }
    }
    return rows
  }

  func destinations(of key: Int64, _ storage: SchemaEntity.ToMany) throws -> [Int64] {
    var keys: [Int64] = []
    let sql: String
    let table = schema[number: storage.destinationNumber]?.table ?? ""
    switch storage {
    case .key(let column, _, let order, _):
      sql = "SELECT Z_PK FROM \(table) WHERE \(column) = ? ORDER BY \(order ?? "Z_PK"), Z_PK"
    case .join(let index, _, _):
      let join = schema.joinTables[index]
      let (own, other) = (storage.ownKey(join), storage.otherKey(join))
      // Rows without a destination are skipped.
      let rows =
        "SELECT \(other) AS k, \(storage.order(join) ?? "0") AS o FROM \(join.name) WHERE \(own) = ?1"
      let mirrored =
        join.isReflexive ? " UNION SELECT \(own), 0 FROM \(join.name) WHERE \(other) = ?1" : ""
      sql =
        "SELECT k FROM (\(rows)\(mirrored)) WHERE k IN (SELECT Z_PK FROM \(table)) ORDER BY o, k"
    }
    try connection.withStatement(sql) { row in
      try row.bind(key, at: 1)
      while try row.step() { keys.append(row.integer(at: 0)) }
    }
    return keys
  }
}
