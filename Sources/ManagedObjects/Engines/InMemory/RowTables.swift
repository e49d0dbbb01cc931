import DataModels
import Foundation

/// The rows of a store that keeps all of them in memory, and the members of their relationships.
final class RowTables {
  /// A row, and the members of its relationships.
  struct Row {
    let layout: EntityLayout
    var version: Int64 = 0
    var values: [StoredValue]
    var toManys: [[NSManagedObjectID]]

    init(_ layout: EntityLayout) {
      self.layout = layout
      values = Array(repeating: .null, count: layout.valueCount)
      toManys = layout.toManys.map { _ in [] }
    }
  }

  /// The rows of an entity and its subentities.
  final class Table {
    var rows: [Int64: Row] = [:]
    var lastKey: Int64 = 0
  }

  /// The store as referenced by object IDs.
  var reference: StoreReference
  /// Whether rows hold only what a file can store: bytes instead of transformable values.
  let isForFile: Bool
  /// The keys of the rows that were written, for stores with a file.
  var touchedKeys: Set<Int64> = []
  private var tables: [ObjectIdentifier: Table] = [:]

  init(_ reference: StoreReference, isForFile: Bool = false) {
    self.reference = reference
    self.isForFile = isForFile
  }

  func table(_ layout: EntityLayout) -> Table {
    let place = ObjectIdentifier(layout.root)
    if let table = tables[place] { return table }
    let table = Table()
    tables[place] = table
    return table
  }

  /// The row with a key in a hierarchy.
  subscript(layout: EntityLayout, key: Int64) -> Row? {
    get { table(layout).rows[key] }
    set { table(layout).rows[key] = newValue }
  }

  func removeAll() { tables.removeAll() }

  /// Calls `body` with every row and its key, in no particular order.
  func forEach(_ body: (Int64, Row) throws -> Void) rethrows {
    for table in tables.values {
      for (key, row) in table.rows { try body(key, row) }
    }
  }

  /// Continues the versions of the same store's rows as others have them: a file holds none, so that all rows read from it
  /// begin anew, but contexts have objects with the former versions.
  ///
  /// - Parameter areSame: whether both are the rows of the same file. Otherwise somebody else has written the rows that
  ///   differ.
  func takeVersions(of others: RowTables, areSame: Bool) {
    for (place, table) in tables {
      guard let former = others.tables[place]?.rows else { continue }
      for (key, row) in table.rows {
        guard let known = former[key] else { continue }
        let isUnchanged =
          areSame
          || row.layout === known.layout && row.values == known.values
            && row.toManys == known.toManys
        table.rows[key]?.version = isUnchanged ? known.version : known.version &+ 1
      }
    }
  }

  // MARK: Snapshots

  /// A snapshot of all rows. It shares memory with the rows that don't change.
  struct State {
    fileprivate let rows: [ObjectIdentifier: [Int64: Row]]
  }

  var state: State { State(rows: tables.mapValues(\.rows)) }

  /// Restores all rows from a snapshot.
  func restore(_ state: State) {
    for (place, table) in tables { table.rows = state.rows[place] ?? [:] }
  }

  // MARK: Reading

  func fetch(_ query: RowQuery, into sink: any RowSink) {
    let table = table(query.layout)
    for key in table.rows.keys.sorted() {
      guard let row = table.rows[key], query.includes(row.layout) else { continue }
      send(row, key, to: sink)
    }
  }

  func count(_ query: RowQuery) -> Int? {
    guard query.predicate == nil, query.limit == 0, query.offset == 0 else { return nil }
    return table(query.layout).rows.values.count { query.includes($0.layout) }
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) -> Bool {
    guard let row = table(id.layout).rows[id.key] else { return false }
    send(row, id.key, to: sink)
    return true
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) {
    guard let row = table(id.layout).rows[id.key],
      row.toManys.indices.contains(property.slot)
    else { return }
    for target in row.toManys[property.slot] { _ = fetchRow(target, into: sink) }
  }

  private func send(_ row: Row, _ key: Int64, to sink: any RowSink) {
    guard let slot = sink.beginRow(of: row.layout, key: key, version: row.version) else { return }
    sink.fill(slot, with: row.values)
  }
}

/// A store that keeps all of its rows in memory.
protocol RowTablesEngine: StoreEngine {
  var rows: RowTables { get }
}

extension RowTablesEngine {
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    rows.fetch(query, into: sink)
    return false
  }

  func count(_ query: RowQuery) throws -> Int? { rows.count(query) }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    rows.fetchRow(id, into: sink)
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    rows.fetchDestinations(of: id, property, into: sink)
  }

  func close() { rows.removeAll() }
}
