import DataModels
import Foundation

/// Creates rows from an XML store's objects.
struct XMLStoreLoader {
  private let rows: RowTables
  private let entities: XMLStoreEntities
  private var layouts: [Int64: EntityLayout] = [:]
  private var keys: Set<Int64> = []
  private var references: [PendingRelationship] = []

  /// The largest number that a relationship refers to: even if there is no object of that number, no new one may get it.
  var largestTarget: Int64 { references.lazy.compactMap { $0.targets.max() }.max() ?? 0 }

  init(_ rows: RowTables, _ entities: XMLStoreEntities) {
    self.rows = rows
    self.entities = entities
  }

  /// Reads the rest of an object whose head was read.
  ///
  /// - Returns: whether a row was created; false for an entity that isn't in the model.
  mutating func add(
    _ object: XMLStoreReader.ObjectHead, _ reader: inout XMLStoreReader
  ) throws -> Bool {
    guard keys.insert(object.key).inserted else {
      throw reader.damage("two objects have the id z\(object.key)")
    }
    guard let entity = entities[object.type] else {
      while !object.isEmpty, try reader.nextItem() != nil {}
      return false
    }
    let layout = entity.layout
    layouts[object.key] = layout
    var row = RowTables.Row(layout)
    row.version = 1
    var composites: [Int: [(field: XMLStoreField, value: StoredValue)]] = [:]
    var seen: Set<String> = []
    while !object.isEmpty, let item = try reader.nextItem() {
      switch item {
      case .attribute(let name, let text):
        guard seen.insert(name).inserted else {
          throw reader.damage("an object has two values of '\(name)'")
        }
        guard let field = entity.field(name) else {
          guard entity.relationship(name) == nil else {
            throw reader.damage("'\(layout.name).\(name)' is a relationship, not an attribute")
          }
          continue
        }
        guard let value = field.value(text) else {
          throw reader.damage(
            "'\(layout.name).\(name)' contains no value of the type "
              + "\(field.attribute.attributeType.xmlName): \(text.prefix(40))")
        }
        if field.path.isEmpty {
          row.values[field.slot] = value
        } else {
          composites[field.slot, default: []].append((field, value))
        }
      case .relationship(let name, let targets):
        guard seen.insert(name).inserted else {
          throw reader.damage("an object has the relationship '\(name)' twice")
        }
        guard let property = entity.relationship(name)?.property else {
          guard entity.field(name) == nil else {
            throw reader.damage("'\(layout.name).\(name)' is an attribute, not a relationship")
          }
          continue
        }
        guard property.isToMany || targets.count < 2 else {
          throw reader.damage(
            "'\(layout.name).\(name)' refers to \(targets.count) objects, not one")
        }
        guard !targets.isEmpty else { continue }
        references.append(
          PendingRelationship(
            owner: layout, key: object.key, property: property, targets: targets,
            place: reader.tagStart))
      case .unknown: continue
      }
    }
    for (slot, elements) in composites {
      row.values[slot] = .box(ValueBox(Self.dictionary(elements)))
    }
    rows[layout, object.key] = row
    return true
  }

  /// A composite attribute's value in its public form.
  private static func dictionary(
    _ elements: [(field: XMLStoreField, value: StoredValue)]
  ) -> [String: Any] {
    var made: [String: Any] = [:]
    for (field, value) in elements {
      put(field.attribute.value(of: value), at: field.path[...], in: &made)
    }
    return made
  }

  private static func put(
    _ value: Any?, at path: ArraySlice<String>, in values: inout [String: Any]
  ) {
    guard let name = path.first else { return }
    guard path.count > 1 else { return values[name] = value }
    var nested = values[name] as? [String: Any] ?? [:]
    put(value, at: path.dropFirst(), in: &nested)
    values[name] = nested
  }

  /// Resolves the relationships, once all objects are known.
  mutating func relate(_ reader: XMLStoreReader) throws {
    try rows.relate(references, layouts) { reference, target in
      reader.damage(
        "'\(reference.owner.name).\(reference.property.name)' refers to z\(target), an object of "
          + "another entity", at: reference.place)
    }
    references = []
  }
}
