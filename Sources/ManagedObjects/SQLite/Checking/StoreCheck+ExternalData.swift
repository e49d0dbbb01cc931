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
    /// Why not all rows could be read; nil if they could.
    var failure: (any Error)?
  }

  mutating func checkExternalTags() throws {
    for (entity, path, column) in externalColumns {
      try addRows(
        .externalTag, in: entity.name, at: path, "the value has neither of the tags 1 and 2",
        sql: "SELECT Z_PK FROM \(Self.rows(of: entity, column)) "
          + "AND hex(substr(\(column), 1, 1)) NOT IN ('01', '02')")
    }
  }

  /// The last step: it ends the transaction.
  ///
  /// - Throws: what prevented rows from being read, when what the others say has been added.
  mutating func checkExternalData() throws {
    let references = externalReferences(in: connection)
    for (entity, path, keys) in references.nameless {
      add(.externalTag, in: entity, at: path, "the file's name isn't a UUID", rows: keys)
    }
    // A row that can't be read may name any file.
    let unreferenced =
      references.failure == nil ? Set(externalFiles).subtracting(references.names) : []
    let certain = confirmed(missing: references.missing, unreferenced: unreferenced)
    addMissing(certain.missing)
    for name in certain.unreferenced.sorted() {
      add(.externalUnreferenced, "no row names the external file \(name)")
    }
    if let failure = references.failure { throw failure }
  }

  /// What is still so in the present state of the store. Files aren't part of a transaction: a save may just have written
  /// or removed them. What is wrong stays so.
  private func confirmed(
    missing: Set<MissingFile>, unreferenced: Set<String>
  ) -> (missing: Set<MissingFile>, unreferenced: Set<String>) {
    guard !missing.isEmpty || !unreferenced.isEmpty else { return ([], []) }
    // Nobody has saved since a private copy was made. Another one would need its space once more.
    if case .copy? = connection.plan, connection.isCurrent { return (missing, unreferenced) }
    // A writer that waits goes first.
    if connection.isInTransaction { try? connection.commit() }
    // If the store can't be opened now, because it was moved, the disk is full or somebody writes all the time, nothing is
    // confirmed and nothing reported: that is no damage.
    guard
      let later = try? SQLiteConnection.inspecting(url, { externalReferences(in: $0) })
    else { return ([], []) }
    let present = Set(ExternalData(store: url).fileNames)
    return (
      missing: missing.intersection(later.missing),
      unreferenced: later.failure == nil
        ? unreferenced.subtracting(later.names).intersection(present) : []
    )
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

  /// Reads which files rows name, and which of these aren't there: of one column after the other, and in a damaged one as
  /// far as it can be read.
  private func externalReferences(in connection: SQLiteConnection) -> ExternalReferences {
    var references = ExternalReferences()
    for (entity, path, column) in externalColumns {
      do {
        try read(column, of: entity, at: path, in: connection, into: &references)
      } catch {
        references.failure = references.failure ?? error
      }
    }
    return references
  }

  private func read(
    _ column: String, of entity: SchemaEntity, at path: String, in connection: SQLiteConnection,
    into references: inout ExternalReferences
  ) throws {
    let external = ExternalData(store: url)
    var nameless: [Int64] = []
    defer { references.nameless.append((entity: entity.name, path: path, keys: nameless)) }
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
