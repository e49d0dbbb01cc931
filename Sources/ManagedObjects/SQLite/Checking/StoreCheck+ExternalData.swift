import DataModels
import Foundation

/// Checks of values that may be stored in files beside the store.
extension StoreCheck {
  /// A value whose file isn't there.
  private struct MissingFile: Hashable {
    let entity: String
    let path: String
    let key: Int64
    let name: String
  }

  /// What the rows of one state of the store say about files.
  private struct ExternalReferences {
    /// The files that rows name.
    var names: Set<String> = []
    var missing: Set<MissingFile> = []
    /// The keys of rows that should name a file and don't, by column.
    var nameless: [(entity: String, path: String, keys: [Int64])] = []
  }

  mutating func checkExternalData() throws {
    for (entity, path, column) in externalColumns {
      try addRows(
        .externalTag, in: entity.name, at: path, "the value has neither of the tags 1 and 2",
        sql: "SELECT Z_PK FROM \(Self.rows(of: entity, column)) "
          + "AND hex(substr(\(column), 1, 1)) NOT IN ('01', '02')")
    }
    var references = try externalReferences(in: connection)
    for (entity, path, keys) in references.nameless {
      add(.externalTag, in: entity, at: path, "the file's name isn't a UUID", rows: keys)
    }
    var unreferenced = Set(externalFiles).subtracting(references.names)
    if !unreferenced.isEmpty || !references.missing.isEmpty {
      // Files aren't part of a transaction: a save may just have written or removed them. What is wrong stays so.
      let later = try SQLiteConnection.inspecting(url) { try externalReferences(in: $0) }
      references.missing.formIntersection(later.missing)
      unreferenced.subtract(later.names)
      unreferenced.formIntersection(ExternalData(store: url).fileNames)
    }
    addMissing(references.missing)
    for name in unreferenced.sorted() {
      add(.externalUnreferenced, "no row names the external file \(name)")
    }
  }

  /// The columns of values that may be stored in files.
  private var externalColumns: [(entity: SchemaEntity, path: String, column: String)] {
    concreteEntities.flatMap { entity in
      entity.attributes.sorted { $0.key < $1.key }
        .filter { has(entity.table, $0.value) && allowsExternalStorage(entity, $0.key) }
        .map { (entity: entity, path: $0.key, column: $0.value) }
    }
  }

  private static func rows(of entity: SchemaEntity, _ column: String) -> String {
    "\(entity.table) WHERE \(entity.ownRows()) AND \(column) IS NOT NULL"
  }

  /// Reads which files rows name, and which of these aren't there.
  private func externalReferences(
    in connection: SQLiteConnection
  ) throws -> ExternalReferences {
    let external = ExternalData(store: url)
    var references = ExternalReferences()
    for (entity, path, column) in externalColumns {
      var nameless: [Int64] = []
      try connection.withStatement(
        "SELECT Z_PK, substr(\(column), 1, 200) FROM \(Self.rows(of: entity, column)) "
          + "AND hex(substr(\(column), 1, 1)) = '02'"
      ) { row in
        while try row.step() {
          let key = row.integer(at: 0)
          guard let bytes = row.blob(at: 1), let file = external.file(of: bytes) else {
            nameless.append(key)
            continue
          }
          let name = file.lastPathComponent
          references.names.insert(name)
          if !FileManager.default.fileExists(atPath: file.path) {
            references.missing.insert(
              MissingFile(entity: entity.name, path: path, key: key, name: name))
          }
        }
      }
      references.nameless.append((entity: entity.name, path: path, keys: nameless))
    }
    return references
  }

  private mutating func addMissing(_ files: Set<MissingFile>) {
    let places = Dictionary(grouping: files) { [$0.entity, $0.path] }
    for (_, files) in places.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard let first = files.first else { continue }
      add(
        .externalMissing, in: first.entity, at: first.path, "the value's file is missing",
        rows: files.map(\.key).sorted())
    }
  }

  private mutating func add(
    _ rule: StoreFinding.Rule, in entity: String, at path: String, _ message: String,
    rows keys: [Int64]
  ) {
    guard !keys.isEmpty else { return }
    findings.append(
      StoreFinding(
        rule, in: entity, at: path, message, rowCount: keys.count,
        rows: Array(keys.sorted().prefix(StoreFinding.exampleLimit))))
  }

  private func allowsExternalStorage(_ entity: SchemaEntity, _ path: String) -> Bool {
    entity.attribute(at: path)?.allowsExternalBinaryDataStorage == true
      && entity.attributeType(path) == .binaryDataAttributeType
  }
}
