import DataModels
import Foundation

/// Rows and their values.
extension InPlaceMigration {
  /// Fills an entity table with the rows of all entities that continue in it.
  func fill(_ table: SchemaTable) throws {
    for pair in pairs where pair.new.table == table.name && !pair.new.description.isAbstract {
      var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
      var values = [
        pair.shift == 0 ? "s.Z_PK" : "s.Z_PK + \(pair.shift)", "\(pair.new.number)", "s.Z_OPT",
      ]
      for (name, column) in pair.new.attributes.sorted(by: { $0.value < $1.value }) {
        guard let value = try valueExpression(of: name, column: column, in: pair) else { continue }
        try checkNumbers(of: name, in: pair)
        columns.append(column)
        values.append(value)
      }
      for (name, toOne) in pair.new.toOnes.sorted(by: { $0.value.key < $1.value.key }) {
        guard let direct = directKeys(of: name, toOne, in: pair) else { continue }
        columns.append(toOne.key)
        values.append(direct.key)
        if let column = toOne.targetEntity, let entity = direct.entity {
          columns.append(column)
          values.append(entity)
        }
        if !direct.isPlain { try checkDestinations(of: name, toOne, in: pair) }
      }
      let source = presentName(pair.old.table)
      try connection.execute(
        "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) FROM \(source) s "
          + "WHERE s.Z_ENT = \(pair.old.number) ORDER BY s.Z_PK")
    }
  }

  // MARK: Attributes

  /// The SQL of a value in the new row, in terms of the old row `s`; nil for NULL.
  ///
  /// - Parameter path: the attribute, or an element of a composite one.
  func valueExpression(
    of path: String, column: String, in pair: MigrationPair
  ) throws -> String? {
    guard let attribute = pair.new.attribute(at: path) else { return nil }
    guard let (before, source) = sourceColumn(of: path, in: pair) else {
      return try SQLLiteral.defaultValue(of: attribute)
    }
    let value = converted("s.\(source)", from: before, to: attribute)
    // A missing value of an attribute that is no longer optional becomes the default.
    if before.isOptional, !attribute.isOptional,
      let fallback = try SQLLiteral.defaultValue(of: attribute)
    {
      return "IFNULL(\(value), \(fallback))"
    }
    return value
  }

  /// The attribute and column that a value comes from; nil for a new attribute.
  func sourceColumn(
    of path: String, in pair: MigrationPair
  ) -> (attribute: NSAttributeDescription, column: String)? {
    var keys = path.split(separator: ".").map(String.init)[...]
    guard let first = keys.popFirst(), let name = pair.attributes[first] else { return nil }
    var source = name
    var (before, after) = (
      pair.old.description.attributesByName[name], pair.new.description.attributesByName[first]
    )
    while let key = keys.popFirst() {
      let element = (after as? NSCompositeAttributeDescription)?.elements.first { $0.name == key }
      guard let element,
        let found = (before as? NSCompositeAttributeDescription)?.element(goingOnAs: element)
      else { return nil }
      before = found
      source += ".\(found.name)"
      after = element
    }
    guard let before, let column = pair.old.attributes[source] else { return nil }
    return (before, column)
  }

  /// Throws if a column of numbers that become numbers of another type contains anything else, of which a conversion
  /// would make 0.
  private func checkNumbers(of path: String, in pair: MigrationPair) throws {
    guard let after = pair.new.attribute(at: path)?.attributeType,
      let (before, source) = sourceColumn(of: path, in: pair), before.attributeType != after,
      before.attributeType.operandType?.isNumeric == true, after.operandType?.isNumeric == true
    else { return }
    let count =
      try connection.integer(
        "SELECT count(*) FROM \(presentName(pair.old.table)) s WHERE s.Z_ENT = \(pair.old.number) "
          + "AND typeof(s.\(source)) NOT IN ('integer', 'real', 'null')") ?? 0
    guard count == 0 else {
      throw MigrationError.failed(
        "Cannot migrate store in-place: \(count) values of \(pair.old.name).\(before.name) aren't "
          + "numbers; 'momtool store check' lists them", entity: pair.new.name)
    }
  }

  /// The SQL of a value of an old attribute in the form of the new one.
  func converted(
    _ value: String, from old: NSAttributeDescription, to new: NSAttributeDescription
  ) -> String {
    if new.attributeType == .binaryDataAttributeType, new.allowsExternalBinaryDataStorage,
      !old.allowsExternalBinaryDataStorage
    {
      // The tag of a value that is stored in the row.
      return "CASE WHEN \(value) IS NOT NULL THEN CAST(x'01' || \(value) AS BLOB) END"
    }
    guard old.attributeType != new.attributeType else { return value }
    return new.attributeType.converted(value)
  }

  // MARK: Unchanged to-one relationships

  /// The SQL of a to-one relationship's columns, taken directly from the old row.
  struct DirectKeys {
    /// The SQL of the key.
    let key: String
    /// The SQL of the entity number, if there is a column for it.
    let entity: String?
    /// Whether the key is copied unconditionally.
    let isPlain: Bool
  }

  /// The columns of a to-one relationship that continues an old one; nil for other relationships.
  func directKeys(
    of name: String, _ toOne: SchemaEntity.ToOne, in pair: MigrationPair
  ) -> DirectKeys? {
    guard let oldName = pair.relationships[name], let before = pair.old.toOnes[oldName],
      let oldTarget = old[number: before.destination],
      let newTarget = new[number: toOne.destination]
    else { return nil }
    let targets = oldTarget.numbers.map { pairsByOld[$0] }
    let isPlain = targets.allSatisfy { target in
      guard let target else { return false }
      return target.shift == 0 && newTarget.numbers.contains(target.new.number)
    }
    guard isPlain else {
      let source =
        "FROM \(presentName(oldTarget.table)) t JOIN temp.Z_MIGRATION m ON m.OLD = t.Z_ENT "
        + "WHERE t.Z_PK = s.\(before.key) AND m.NEW BETWEEN \(newTarget.number) AND "
        + "\(newTarget.lastNumber)"
      return DirectKeys(
        key: "(SELECT t.Z_PK + m.SHIFT \(source))",
        entity: toOne.targetEntity.map { _ in "(SELECT m.NEW \(source))" }, isPlain: false)
    }
    let key = "s.\(before.key)"
    guard toOne.targetEntity != nil else {
      return DirectKeys(key: key, entity: nil, isPlain: true)
    }
    guard let column = before.targetEntity else {
      let number = pairsByOld[before.destination]?.new.number ?? toOne.destination
      return DirectKeys(
        key: key, entity: "CASE WHEN \(key) IS NOT NULL THEN \(number) END", isPlain: true)
    }
    let isRenumbered = targets.contains { $0?.old.number != $0?.new.number }
    return DirectKeys(
      key: key,
      entity: isRenumbered
        ? "(SELECT m.NEW FROM temp.Z_MIGRATION m WHERE m.OLD = s.\(column))" : "s.\(column)",
      isPlain: true)
  }

  /// Throws if there are rows whose destinations continue as entities that the relationship can't refer to.
  private func checkDestinations(
    of name: String, _ toOne: SchemaEntity.ToOne, in pair: MigrationPair
  ) throws {
    guard let oldName = pair.relationships[name], let before = pair.old.toOnes[oldName],
      let oldTarget = old[number: before.destination],
      let newTarget = new[number: toOne.destination]
    else { return }
    let count =
      try connection.integer(
        "SELECT count(*) FROM \(presentName(pair.old.table)) s "
          + "JOIN \(presentName(oldTarget.table)) t ON t.Z_PK = s.\(before.key) "
          + "JOIN temp.Z_MIGRATION m ON m.OLD = t.Z_ENT WHERE s.Z_ENT = \(pair.old.number) "
          + "AND m.NEW NOT BETWEEN \(newTarget.number) AND \(newTarget.lastNumber)") ?? 0
    guard count == 0 else { throw misdirected(name, of: pair, to: newTarget, count) }
    try checkRemovedDestinations(of: name, before, in: oldTarget, pair)
  }

  /// Throws if rows would lose a destination that they must have, because its entity is gone. Rows that have none
  /// already stay as they are.
  private func checkRemovedDestinations(
    of name: String, _ before: SchemaEntity.ToOne, in oldTarget: SchemaEntity,
    _ pair: MigrationPair
  ) throws {
    guard pair.new.description.relationshipsByName[name]?.isOptional == false else { return }
    let count =
      try connection.integer(
        "SELECT count(*) FROM \(presentName(pair.old.table)) s "
          + "JOIN \(presentName(oldTarget.table)) t ON t.Z_PK = s.\(before.key) "
          + "LEFT JOIN temp.Z_MIGRATION m ON m.OLD = t.Z_ENT "
          + "WHERE s.Z_ENT = \(pair.old.number) AND m.OLD IS NULL") ?? 0
    guard count == 0 else {
      throw MigrationError.failed(
        "Cannot migrate store in-place: Validation error missing values on mandatory destination "
          + "relationship: \(count) objects of \(pair.new.name) refer to objects of entities that "
          + "the new model doesn't have", entity: pair.new.name, relationship: name)
    }
  }

  func misdirected(
    _ name: String, of pair: MigrationPair, to target: SchemaEntity, _ count: Int64
  ) -> NSError {
    MigrationError.failed(
      "Cannot migrate store in-place: \(count) objects are related by \(pair.new.name).\(name) to "
        + "others than \(target.name)", entity: pair.new.name, relationship: name)
  }
}
