import DataModels
import Foundation

/// Checks of values that may be stored in files beside the store.
extension StoreCheck {
  mutating func checkExternalData() throws {
    let external = ExternalData(store: url)
    let files = FileManager.default
    var referenced: Set<String> = []
    for entity in concreteEntities {
      for (path, column) in entity.attributes.sorted(by: { $0.key < $1.key })
      where has(entity.table, column) && allowsExternalStorage(entity, path) {
        let rows = "\(entity.table) WHERE \(entity.ownRows()) AND \(column) IS NOT NULL"
        try addRows(
          .externalTag, in: entity.name, at: path, "the value has neither of the tags 1 and 2",
          sql: "SELECT Z_PK FROM \(rows) AND hex(substr(\(column), 1, 1)) NOT IN ('01', '02')")
        var (missing, nameless): ([Int64], [Int64]) = ([], [])
        try connection.withStatement(
          "SELECT Z_PK, substr(\(column), 1, 200) FROM \(rows) AND hex(substr(\(column), 1, 1)) = '02'"
        ) { row in
          while try row.step() {
            guard let bytes = row.blob(at: 1), let file = external.file(of: bytes) else {
              nameless.append(row.integer(at: 0))
              continue
            }
            referenced.insert(file.lastPathComponent)
            if !files.fileExists(atPath: file.path) { missing.append(row.integer(at: 0)) }
          }
        }
        add(.externalTag, in: entity.name, at: path, "the file's name isn't a UUID", rows: nameless)
        add(
          .externalMissing, in: entity.name, at: path, "the value's file is missing", rows: missing)
      }
    }
    let present = (try? files.contentsOfDirectory(atPath: external.folder.path)) ?? []
    for name in present.sorted() where !referenced.contains(name) {
      add(.externalUnreferenced, "no row names the external file \(name)")
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
