import DataModels
import Foundation

/// Assembles an XML store's file.
struct XMLStoreWriter {
  private let rows: RowTables
  private let entities: XMLStoreEntities?
  /// The rows to write.
  private var touched: [Int64: RowTables.Row] = [:]
  private var written: Set<Int64> = []
  private(set) var bytes: [UInt8] = []

  init(
    _ rows: RowTables, touched: Set<Int64>, entities: XMLStoreEntities?, reserving count: Int
  ) {
    self.rows = rows
    self.entities = entities
    bytes.reserveCapacity(count + count / 8)
    guard !touched.isEmpty else { return }
    rows.forEach { key, row in
      if touched.contains(key) { self.touched[key] = row }
    }
  }

  /// The number of bytes so far.
  var place: Int { bytes.count }

  mutating func append(_ part: ArraySlice<UInt8>) { bytes.append(contentsOf: part) }

  /// The keys of rows that aren't in the file yet, in order.
  func newKeys(among keys: Set<Int64>) -> [Int64] {
    keys.filter { touched[$0] != nil && !written.contains($0) }.sorted()
  }

  // MARK: Objects

  /// Writes a changed object that is in the file already; returns false for one that was deleted.
  ///
  /// - Parameters:
  ///   - file: the previous content of the file.
  ///   - range: the object's range in it, including what precedes the object.
  mutating func rewrite(_ key: Int64, in file: [UInt8], at range: Range<Int>) throws -> Bool {
    var reader = XMLStoreReader(file, from: range.lowerBound)
    guard let head = try reader.nextObject() else { return false }
    let before = file[range.lowerBound..<reader.tagStart]
    guard let row = touched[key], let entity = entities?[row.layout] else {
      // A comment isn't deleted together with the object that follows it.
      if before.contains(where: { $0 == UInt8(ascii: "<") }) { append(before) }
      return false
    }
    written.insert(key)
    var known: [(name: String, raw: Range<Int>)] = []
    var from = reader.place
    while !head.isEmpty, let item = try reader.nextItem() {
      let raw = from..<reader.place
      from = reader.place
      switch item {
      case .attribute(let name, _) where entity.field(name) != nil: known.append((name, raw))
      case .relationship(let name, _) where entity.relationship(name) != nil:
        known.append((name, raw))
      default: known.append(("", raw))
      }
    }
    append(before)
    append(Array("<object type=\"\(XMLStoreText.quoted(entity.name))\" id=\"z\(key)\">".utf8)[...])
    let start = place
    let present = Set(known.map { $0.name })
    for (name, field) in entity.fields where !present.contains(name) {
      try field.append(row.values[field.slot], to: &bytes)
    }
    for (name, raw) in known {
      if let field = entity.field(name) {
        try field.append(row.values[field.slot], to: &bytes)
      } else if let relationship = entity.relationship(name) {
        append(relationship, of: row)
      } else {
        append(file[raw])
      }
    }
    for (name, relationship) in entity.relationships where !present.contains(name) {
      append(relationship, of: row)
    }
    end(isEmpty: place == start)
    return true
  }

  /// Writes an object that isn't in the file yet.
  mutating func appendNew(_ key: Int64) throws {
    guard let row = touched[key], let entity = entities?[row.layout] else { return }
    append(
      Array("\n    <object type=\"\(XMLStoreText.quoted(entity.name))\" id=\"z\(key)\">".utf8)[...])
    let start = place
    for (_, field) in entity.fields { try field.append(row.values[field.slot], to: &bytes) }
    for (_, relationship) in entity.relationships { append(relationship, of: row) }
    end(isEmpty: place == start)
  }

  private mutating func end(isEmpty: Bool) {
    append(Array((isEmpty ? "</object>" : "\n    </object>").utf8)[...])
  }

  private mutating func append(
    _ relationship: XMLStoreEntity.Relationship, of row: RowTables.Row
  ) {
    let property = relationship.property
    let targets =
      property.isToMany
      ? row.toManys[property.slot] : [row.values[property.slot].reference].compactMap { $0 }
    append(relationship.head[...])
    if !targets.isEmpty {
      append(Array(" idrefs=\"\(targets.map { "z\($0.key)" }.joined(separator: " "))\"".utf8)[...])
    }
    append(Array("></relationship>".utf8)[...])
  }
}
