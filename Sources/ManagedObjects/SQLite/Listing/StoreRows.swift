import DataModels
import Foundation

/// Reads the rows of a store one after the other, as plain data under the model's names.
///
/// Rows come straight from SQLite and are never all in memory. The whole reading sees the store at
/// one moment, whatever others write.
package final class StoreRows {
  /// A value of a row: which property, and how it is read.
  struct Column {
    let name: String
    let read: (SQLiteStatement) throws -> ListedValue
  }

  let connection: SQLiteConnection
  let schema: StoreSchema
  let external: ExternalData
  /// What could not be read and is listed as null: a text for each.
  package private(set) var problems: [String] = []

  /// Opens a store for reading; neither it nor its folder changes.
  package init(_ url: URL, model: NSManagedObjectModel, framework: Int?) throws {
    connection = try SQLiteConnection.reading(url)
    schema = try StoreSchema(
      model: model, version: framework.map(FrameworkVersion.init(rawValue:)) ?? .current)
    external = ExternalData(store: url)
    try connection.execute("BEGIN")
  }

  /// The entities that may have objects of their own, by name.
  package var entities: [SchemaEntity] {
    schema.entities.filter { !$0.description.isAbstract }
      .sorted { NameOrder.precedes($0.name, $1.name) }
  }

  /// How many objects of exactly this entity there are.
  package func count(of entity: SchemaEntity) throws -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM \(entity.table) WHERE Z_ENT = \(entity.number)") ?? 0)
  }

  /// The names of an entity's values, in the order in which they are listed.
  package func names(of entity: SchemaEntity) -> [String] { properties(of: entity).map(\.name) }

  /// Hands each object of exactly this entity to `body`, in the order of the keys.
  ///
  /// - Parameter body: is given the object's name, such as `Author/p2`, and its values in the order
  ///   of ``names(of:)``.
  package func forEach(
    of entity: SchemaEntity, _ body: (_ name: String, _ values: [ListedValue]) throws -> Void
  ) throws {
    var selected = ["Z_PK"]
    let columns = properties(of: entity).map { property in
      column(property, entity) { name in
        selected.append(name)
        return Int32(selected.count - 1)
      }
    }
    let sql =
      "SELECT \(selected.joined(separator: ", ")) FROM \(entity.table) "
      + "WHERE Z_ENT = \(entity.number) ORDER BY Z_PK"
    try connection.withStatement(sql) { row in
      while try row.step() {
        let values = try columns.map { try $0.read(row) }
        try body("\(entity.name)/p\(row.integer(at: 0))", values)
      }
    }
  }

  // MARK: Properties

  private func properties(of entity: SchemaEntity) -> [NSPropertyDescription] {
    entity.description.propertiesByName.values.filter { property in
      !property.isTransient
        && (property is NSAttributeDescription || property is NSRelationshipDescription)
    }.sorted { NameOrder.precedes($0.name, $1.name) }
  }

  private func column(
    _ property: NSPropertyDescription, _ entity: SchemaEntity, _ position: (String) -> Int32
  ) -> Column {
    let name = property.name
    if let attribute = property as? NSAttributeDescription {
      return Column(name: name, read: reader(attribute, path: name, entity, position))
    }
    if let toOne = entity.toOnes[name] {
      let key = position(toOne.key)
      let number = toOne.targetEntity.map(position)
      return Column(name: name) { [self] row in
        guard !row.isNull(at: key) else { return .null }
        let target = number.map { Int(truncatingIfNeeded: row.integer(at: $0)) }
        return reference(row.integer(at: key), target ?? toOne.destination, toOne.destination)
      }
    }
    guard let storage = entity.toManys[name],
      let destination = schema[number: storage.destinationNumber]
    else { return Column(name: name) { _ in .null } }
    let isOrdered = (property as? NSRelationshipDescription)?.isOrdered == true
    let sql =
      "SELECT t0.Z_PK, t0.Z_ENT FROM \(destination.table) t0 "
      + storage.condition(schema, isOrdered: isOrdered)
    return Column(name: name) { [self] row in
      try connection.withStatement(sql) { members in
        try members.bind(row.integer(at: 0), at: 1)
        var list: [ListedValue] = []
        while try members.step() {
          list.append(
            reference(
              members.integer(at: 0), Int(truncatingIfNeeded: members.integer(at: 1)),
              destination.number))
        }
        return .list(list)
      }
    }
  }

  private func reference(_ key: Int64, _ number: Int, _ declared: Int) -> ListedValue {
    let entity = schema[number: number] ?? schema[number: declared]
    return .text("\(entity?.name ?? "")/p\(key)")
  }

  private func reader(
    _ attribute: NSAttributeDescription, path: String, _ entity: SchemaEntity,
    _ position: (String) -> Int32
  ) -> (SQLiteStatement) throws -> ListedValue {
    if let composite = attribute as? NSCompositeAttributeDescription {
      let elements = composite.elements.map { element in
        (element.name, reader(element, path: "\(path).\(element.name)", entity, position))
      }
      return { row in .record(try elements.map { (name: $0, value: try $1(row)) }) }
    }
    guard let name = entity.attributes[path] else { return { _ in .null } }
    let column = position(name)
    if attribute.attributeType == .binaryDataAttributeType,
      attribute.allowsExternalBinaryDataStorage
    {
      return { [self] row in externalValue(row, column, "\(entity.name).\(path)") }
    }
    let type = attribute.attributeType
    return { row in Self.value(row, column, type) }
  }

  // MARK: Values

  /// The value as its column has it, given the meaning that the attribute's type says.
  private static func value(
    _ row: SQLiteStatement, _ column: Int32, _ type: NSAttributeType
  ) -> ListedValue {
    switch row.type(at: column) {
    case .null: return .null
    case .integer:
      switch type {
      case .booleanAttributeType: return .flag(row.integer(at: column) != 0)
      case .dateAttributeType: return .date(row.double(at: column))
      default: return .integer(row.integer(at: column))
      }
    case .real:
      let number = row.double(at: column)
      return type == .dateAttributeType ? .date(number) : .real(number)
    case .text: return row.text(at: column).map { .text($0) } ?? .null
    case .blob:
      guard let data = row.blob(at: column) else { return .null }
      if type == .UUIDAttributeType, let uuid = UUID(bytes: data) {
        return .text(uuid.uuidString)
      }
      return .bytes(data)
    }
  }

  private func externalValue(
    _ row: SQLiteStatement, _ column: Int32, _ name: String
  ) -> ListedValue {
    guard let bytes = row.blob(at: column) else { return .null }
    do {
      return .bytes(try external.value(of: bytes))
    } catch {
      problems.append(
        "\(name) of the row \(row.integer(at: 0)): \((error as NSError).localizedDescription)")
      return .null
    }
  }
}
