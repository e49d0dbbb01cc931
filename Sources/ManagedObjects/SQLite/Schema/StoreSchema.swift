import DataModels
import Foundation

/// The layout of a SQLite store: what Core Data makes of a model, name by name.
///
/// ```swift
/// let schema = try StoreSchema(model: model)
/// for statement in schema.statements { print(statement) }
/// schema["Person"]?.attributes["name"]  // "ZNAME"
/// ```
///
/// Entity numbers and names are a function of the whole model: a configuration changes nothing.
package struct StoreSchema: Sendable {
  /// The framework whose layout this is.
  let version: FrameworkVersion
  /// The entities in the order of their numbers; number n is at n − 1.
  package let entities: [SchemaEntity]
  /// The entity tables, in the order of their entities.
  let tables: [SchemaTable]
  /// The tables of many-to-many relationships.
  let joinTables: [JoinTable]

  private let numbers: [String: Int]
  private let tablesByName: [String: Int]

  /// Lays out `model` as the framework of `version` does.
  ///
  /// - Throws: ``SchemaError`` for a relationship that leads nowhere.
  package init(
    model: NSManagedObjectModel, version: FrameworkVersion = .current
  ) throws(SchemaError) {
    let builder = SchemaBuilder(model: model, version: version)
    try builder.build()
    self.version = version
    entities = builder.entities
    tables = builder.tables
    joinTables = builder.joinTables
    numbers = builder.numbers
    tablesByName = Dictionary(
      tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity of a name.
  subscript(name: String) -> SchemaEntity? {
    numbers[name].map { entities[$0 - 1] }
  }

  /// The entity of a number.
  subscript(number number: Int) -> SchemaEntity? {
    entities.indices.contains(number - 1) ? entities[number - 1] : nil
  }

  /// The entity table of a name.
  func table(_ name: String) -> SchemaTable? {
    tablesByName[name].map { tables[$0] }
  }

  /// The column with a row's position in the ordered relationship that a to-one of its entity leads back to;
  /// nil where there is none.
  func orderColumn(of toOne: String, in entity: SchemaEntity) -> String? {
    table(entity.table)?.columns.first {
      $0.content == .orderKey(relationship: toOne) && $0.entityNumber <= entity.number
        && entity.number <= (self[number: $0.entityNumber]?.lastNumber ?? 0)
    }?.name
  }
}

/// Switches that models carry in their user info.
enum SchemaOptions {
  /// Whether a user info value means yes: `1`, `YES`, `true`, as text or number.
  static func isOn(_ value: Any?) -> Bool {
    switch value {
    case let text as String: ["1", "yes", "true", "y"].contains(text.lowercased())
    case let flag as Bool: flag
    case let number as NSNumber: number.boolValue
    default: false
    }
  }
}

/// Why a model has no layout.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
  /// The entity at fault.
  let entity: String
  /// The property at fault, if one is.
  let property: String?
  /// What is wrong.
  let problem: String

  package var description: String {
    "\(entity)\(property.map { "." + $0 } ?? ""): \(problem)"
  }
}
