import DataModels
import Foundation
import PropertyLists

/// Creates rows from a binary store's entities.
struct BinaryStoreLoader {
  private let rows: RowTables
  private var layouts: [Int64: EntityLayout] = [:]
  private var references: [PendingRelationship] = []
  private(set) var largestKey: Int64 = 0

  init(_ rows: RowTables) { self.rows = rows }

  /// Adds the objects of an entity.
  mutating func add(_ layout: EntityLayout, _ value: ArchiveFoundationValue) throws {
    guard case .dictionary(let entries) = value else {
      throw StoreFileDamage(problem: "the entity '\(layout.name)' isn't a dictionary")
    }
    var keys: [Int64]?
    var columns: [ArchiveFoundationValue.Entry] = []
    for entry in entries {
      switch (entry.key, entry.value) {
      case ("keys", .data(let bytes)): keys = try Self.keys(bytes, layout)
      case ("properties", .dictionary(let properties)): columns = properties
      default:
        throw StoreFileDamage(
          problem: "the entity '\(layout.name)' has an unexpected entry '\(entry.key)'")
      }
    }
    guard let keys else {
      throw StoreFileDamage(problem: "the entity '\(layout.name)' has no keys")
    }
    var made = keys.map { _ in RowTables.Row(layout) }
    for column in columns {
      try fill(&made, with: column, keys: keys, of: layout)
    }
    for (key, row) in zip(keys, made) {
      guard layouts.updateValue(layout, forKey: key) == nil else {
        throw StoreFileDamage(problem: "two objects have the key \(key)")
      }
      var row = row
      row.version = 1
      rows[layout, key] = row
      largestKey = max(largestKey, key)
    }
  }

  private static func keys(_ bytes: [UInt8], _ layout: EntityLayout) throws -> [Int64] {
    var reader = PackedReader(bytes, of: "the list of '\(layout.name)' keys")
    var keys: [Int64] = []
    while !reader.isAtEnd {
      let key = try reader.key()
      guard key > 0 else { throw reader.damage("contains the key 0") }
      keys.append(key)
    }
    return keys
  }

  private mutating func fill(
    _ made: inout [RowTables.Row], with column: ArchiveFoundationValue.Entry, keys: [Int64],
    of layout: EntityLayout
  ) throws {
    let name = "'\(layout.name).\(column.key)'"
    guard case .data(let bytes) = column.value else {
      throw StoreFileDamage(problem: "\(name) isn't data")
    }
    // A program that ignores the model's version leaves it out, as from other stores.
    guard let property = layout.property(column.key), !property.isTransient else { return }
    var reader = PackedReader(bytes, of: name)
    for index in made.indices {
      let value = try reader.next()
      switch (property.kind, value) {
      case (.toMany, .members(let targets)):
        if !targets.isEmpty { refer(keys[index], of: layout, by: property, to: targets) }
      case (.toOne, .member(let target)): refer(keys[index], of: layout, by: property, to: [target])
      case (.toOne, .plain(.null)): break
      case (.attribute(let type), .plain(let value)):
        guard value.isNull || type.takes(value) else {
          throw reader.damage("contains a value of another type")
        }
        made[index].values[property.slot] = value
      case (.attribute(.compositeAttributeType), .composite(let values)):
        let composite = property.description as? NSCompositeAttributeDescription
        made[index].values[property.slot] = .box(
          ValueBox(try Self.dictionary(values, of: composite?.elements ?? [], from: reader)))
      default: throw reader.damage("contains an invalid value for such a property")
      }
    }
    guard reader.isAtEnd else { throw reader.damage("contains more values than there are objects") }
  }

  /// A composite attribute's value in its public form.
  private static func dictionary(
    _ values: [String: StoredValue], of elements: [NSAttributeDescription],
    from reader: PackedReader
  ) throws -> [String: Any] {
    var made: [String: Any] = [:]
    for element in elements {
      guard let value = values[element.name] else { continue }
      if let composite = element as? NSCompositeAttributeDescription,
        let nested = value.boxed as? [String: StoredValue]
      {
        made[element.name] = try dictionary(nested, of: composite.elements, from: reader)
      } else {
        guard value.isNull || element.attributeType.takes(value) else {
          throw reader.damage("contains an element of another type, '\(element.name)'")
        }
        made[element.name] = element.value(of: value)
      }
    }
    return made
  }

  private mutating func refer(
    _ key: Int64, of owner: EntityLayout, by property: PropertyLayout, to targets: [Int64]
  ) {
    references.append(
      PendingRelationship(owner: owner, key: key, property: property, targets: targets))
    // Even if there is no object of a number, no new one may get it.
    largestKey = max(largestKey, targets.max() ?? 0)
  }

  /// Resolves the relationships, once all objects are known.
  mutating func relate() throws {
    try rows.relate(references, layouts) { reference, target in
      StoreFileDamage(
        problem: "'\(reference.owner.name).\(reference.property.name)' of the object "
          + "\(reference.key) refers to the object \(target) of another entity")
    }
    references = []
  }
}
