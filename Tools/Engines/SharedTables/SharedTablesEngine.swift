import Foundation
@_spi(Engines) import MomKit

/// The engine that keeps the rows for one client.
final class SharedTablesEngine: StoreEngine, StoreEngineType {
  let reference: StoreReference
  let isReadOnly = false
  let layouts: ModelLayout
  let database: Database

  var metadata: [String: Any] {
    get { database.locked { $0.metadata } }
    set { database.locked { $0.metadata = newValue } }
  }

  private init(_ opening: StoreOpening, _ database: Database) {
    layouts = opening.layouts
    self.database = database
    reference =
      opening.reference
      ?? StoreReference(identifier: database.identifier, layouts: opening.layouts)
  }

  static func open(_ opening: StoreOpening) throws -> any StoreEngine {
    try opening.refuseDerivedAttributes(SharedTables.storeType.rawValue)
    let database = Database.at(opening.url)
    database.locked { contents in
      guard contents.metadata.isEmpty else { return }
      contents.metadata = [
        NSStoreTypeKey: SharedTables.storeType.rawValue, NSStoreUUIDKey: database.identifier,
        NSStoreModelVersionHashesKey: opening.versionHashes,
        NSStoreModelVersionIdentifiersKey: opening.versionIdentifiers,
      ]
    }
    return SharedTablesEngine(opening, database)
  }

  static func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
    Database.at(url).locked { $0.metadata }
  }

  static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?
  ) throws {
    Database.at(url).locked { $0.metadata = metadata }
  }

  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?
  ) throws {
    let rows = Database.at(source).locked { $0.rows }
    Database.at(url).locked { $0.rows = rows }
  }

  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
    Database.at(url).locked { $0.rows = [:] }
  }

  func close() {}

  // MARK: Reading

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    for (key, row) in rows(of: query.layout) {
      guard let layout = layouts[row.entity], query.includes(layout) else { continue }
      send(row, of: layout, key: key, to: sink)
    }
    return false
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    let place = Place(hierarchy: id.layout.root.name, key: id.key)
    guard let row = database.locked({ $0.rows[place] }), let layout = layouts[row.entity] else {
      return false
    }
    send(row, of: layout, key: id.key, to: sink)
    return true
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    guard let inverse = property.inverseProperty, let target = property.destinationLayout else {
      return
    }
    // For one-to-many relationships, the member's own value determines its owner.
    for (key, row) in rows(of: target) {
      guard case .row(_, id.key) = row.values[inverse.name], let layout = layouts[row.entity]
      else { continue }
      send(row, of: layout, key: key, to: sink)
    }
  }

  private func rows(of layout: EntityLayout) -> [(key: Int64, row: Row)] {
    database.locked { contents in
      contents.rows.filter { $0.key.hierarchy == layout.root.name }
    }
    .map { ($0.key.key, $0.value) }.sorted { $0.key < $1.key }
  }

  private func send(_ row: Row, of layout: EntityLayout, key: Int64, to sink: any RowSink) {
    guard let slot = sink.beginRow(of: layout, key: key, version: row.version) else { return }
    sink.fill(slot, with: values(of: row, layout))
  }

  func values(of row: Row, _ layout: EntityLayout) -> [StoredValue] {
    layout.values.map { property in
      switch row.values[property.name] {
      case .row(let entity, let key)?:
        guard let target = layouts[entity] else { return .null }
        return .reference(NSManagedObjectID(layout: target, store: reference, key: key))
      case .object(let value)?: return property.storedValue(of: value) ?? .null
      case nil: return .null
      }
    }
  }
}
