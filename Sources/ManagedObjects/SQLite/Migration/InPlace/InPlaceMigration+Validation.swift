import DataModels
import Foundation

/// Validation of the rows against requirements of the new model that the old one didn't have.
extension InPlaceMigration {
  func validate() throws {
    for pair in pairs where !pair.new.description.isAbstract {
      for (path, column) in pair.new.attributes.sorted(by: { $0.key < $1.key })
      where !path.contains(".") { try validate(attribute: path, column, in: pair) }
      try validateComposites(in: pair)
      for relationship in pair.new.description.relationshipsByName.values
        .sorted(by: { $0.name < $1.name })
      where !relationship.isTransient { try validate(relationship, in: pair) }
    }
  }

  private func validate(attribute path: String, _ column: String, in pair: MigrationPair) throws {
    guard let attribute = pair.new.attribute(at: path), !attribute.isOptional,
      !(attribute is NSDerivedAttributeDescription),
      sourceColumn(of: path, in: pair).map(\.attribute.isOptional) ?? true
    else { return }
    guard try count(in: pair, "s.\(column) IS NULL") > 0 else { return }
    throw missing(path, in: pair)
  }

  /// Checks that a mandatory composite has at least one element. As in a save, individual elements aren't checked: an
  /// element may be missing whenever its composite may.
  private func validateComposites(in pair: MigrationPair) throws {
    for (name, attribute) in pair.new.description.attributesByName.sorted(by: { $0.key < $1.key })
    where attribute is NSCompositeAttributeDescription && !attribute.isOptional
      && !attribute.isTransient
    {
      let before = pair.attributes[name].flatMap { pair.old.description.attributesByName[$0] }
      guard before.map({ $0.isOptional || $0.isTransient }) ?? true else { continue }
      let columns = pair.new.attributes.filter { $0.key.hasPrefix("\(name).") }.values.sorted()
      guard !columns.isEmpty,
        try count(in: pair, columns.map { "s.\($0) IS NULL" }.joined(separator: " AND ")) > 0
      else { continue }
      throw missing(name, in: pair)
    }
  }

  private func missing(_ attribute: String, in pair: MigrationPair) -> NSError {
    MigrationError.failed(
      "Cannot migrate store in-place: Validation error missing attribute values on mandatory "
        + "destination attribute", entity: pair.new.name, attribute: attribute)
  }

  private func validate(_ relationship: NSRelationshipDescription, in pair: MigrationPair) throws {
    let name = relationship.name
    var before = pair.relationships[name].flatMap { pair.old.description.relationshipsByName[$0] }
    // Nothing was stored of it, and nothing demanded.
    if before?.isTransient == true { before = nil }
    let isMandatory = !relationship.isOptional
    if let toOne = pair.new.toOnes[name] {
      guard isMandatory, before?.isOptional ?? true,
        try count(in: pair, "s.\(toOne.key) IS NULL") > 0
      else { return }
      throw MigrationError.failed(
        "Cannot migrate store in-place: Validation error missing values on mandatory destination "
          + "relationship", entity: pair.new.name, relationship: name)
    }
    guard let members = memberCount(name, in: pair.new) else { return }
    let (least, most) = bounds(relationship)
    let (oldLeast, oldMost) = before.map { bounds($0) } ?? (0, .max)
    guard
      least > oldLeast || most < oldMost
        || isMandatory && least > 0 && before?.isOptional ?? true
    else { return }
    // An optional relationship may be empty, whatever its minimum count is.
    let allowsNone = isMandatory ? "" : "\(members) <> 0 AND "
    guard try count(in: pair, "\(allowsNone)\(members) NOT BETWEEN \(least) AND \(most)") > 0 else {
      return
    }
    throw MigrationError.failed(
      "Cannot migrate store in-place: Validation error too few or too many objects in destination "
        + "relationship", entity: pair.new.name, relationship: name)
  }

  /// The minimum and maximum number of destinations of an object that has any. A mandatory to-many relationship
  /// without a minimum count may be empty.
  private func bounds(_ relationship: NSRelationshipDescription) -> (least: Int, most: Int) {
    (relationship.minCount, relationship.maxCount > 0 ? relationship.maxCount : .max)
  }

  /// The SQL of the number of a to-many relationship's members, for the row `s`; nil for other properties.
  func memberCount(_ name: String, in entity: SchemaEntity) -> String? {
    entity.toManys[name].map { storage in
      "(SELECT count(*) FROM \(storage.rows(of: "s.Z_PK", as: "d", new)))"
    }
  }

  private func count(in pair: MigrationPair, _ condition: String) throws -> Int64 {
    try connection.integer(
      "SELECT count(*) FROM \(pair.new.table) s WHERE s.Z_ENT = \(pair.new.number) "
        + "AND (\(condition))") ?? 0
  }
}
