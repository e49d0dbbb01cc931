import DataModels
import PredicateFormat

/// The triggers that maintain derived attributes: counts of to-many relationships, and values at the end of a to-one
/// relationship.
///
/// These two forms occur in real stores, and their texts are equal to Apple's. The others (see
/// StoreSchema+Derivations) don't occur in any real store examined: they do the same work under names that follow the
/// same pattern.
extension StoreSchema {
  /// All triggers, ordered by entity.
  var triggers: [SchemaIndex] { triggers(where: { _, _ in true }) }

  /// Those among ``triggers`` that maintain attributes derived from elements of composite ones. No real store shows whether
  /// Core Data makes them.
  var elementTriggers: [SchemaIndex] { triggers(where: followsElement) }

  private func triggers(
    where isWanted: (NSDerivedAttributeDescription, SchemaEntity) -> Bool
  ) -> [SchemaIndex] {
    guard version.hasDerivationTriggers else { return [] }
    return entities.flatMap { entity in
      entity.description.ownProperties.compactMap { $0 as? NSDerivedAttributeDescription }
        .filter { isWanted($0, entity) }
        .sorted { NameOrder.precedes($0.name, $1.name) }
        .flatMap { triggers(of: $0, in: entity) }
    }
  }

  private func triggers(
    of attribute: NSDerivedAttributeDescription, in entity: SchemaEntity
  ) -> [SchemaIndex] {
    // Triggers that consider only some destinations are unknown; a wrong value would be worse than none.
    guard attribute.filteringPredicate == nil, let column = column(of: attribute.name, in: entity),
      let tree = attribute.derivationExpression?.tree
    else { return [] }
    let derived = DerivedColumn(
      entity: entity, attribute: attribute.name, column: column)
    switch Derivation(tree) {
    case .count(let relationship)?: return counting(relationship, derived)
    case .aggregate(let function, let relationship, let attribute)?:
      return aggregating(function, over: relationship, attribute: attribute, into: derived)
    case .path(let path)?: return following(path, derived)
    case .text(let function, let path)?: return computing(function, of: path, into: derived)
    case .now?: return stamping(derived)
    case nil: return []
    }
  }

  /// A derived attribute, and the parts of its triggers' texts.
  struct DerivedColumn {
    let entity: SchemaEntity
    let attribute: String
    let column: String

    var table: String { entity.table }
    var stem: String { "\(entity.name)_\(attribute)" }

    func report(_ function: String, where condition: String) -> String {
      "SELECT \(function)('\(table)', Z_ENT, Z_PK, '\(attribute)', \(column)) FROM \(table) "
        + "WHERE \(condition)\(ownRows);"
    }

    /// The condition for rows of the attribute's entity, if other entities share its table: their rows don't have the
    /// column, and may have an attribute of the same name, which a report would name.
    var ownRows: String {
      guard entity.parentNumber != 0 else { return "" }
      return " AND Z_ENT BETWEEN \(entity.number) AND \(entity.lastNumber)"
    }
  }

  static let updated = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
  static let inserted = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"

  private func counting(_ relationship: String, _ derived: DerivedColumn) -> [SchemaIndex] {
    guard case .key(let key, _, _, let number)? = derived.entity.toManys[relationship],
      let destination = self[number: number]
    else { return countingJoined(relationship, derived) }
    let (table, column) = (derived.table, derived.column)
    let stem = "Z_DA_\(destination.table)_\(derived.stem)_PARAMETER"
    // A row that refers to itself is counted when its own count starts, whichever trigger runs first.
    let others = destination.table == table ? " AND NEW.\(key) IS NOT NEW.Z_PK" : ""
    let steps = [
      ("INSERT", "AFTER INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
      ("UPDATE_INCREMENT", "AFTER UPDATE OF \(key)", "NEW", "\(column) + 1"),
      ("UPDATE_DECREMENT", "AFTER UPDATE OF \(key)", "OLD", "\(column) - 1"),
      ("DELETE", "AFTER DELETE", "OLD", "\(column) - 1"),
    ].map { suffix, event, row, value in
      let condition = "Z_PK = \(row).\(key)"
      return trigger(
        "\(stem)_\(suffix)", event, on: destination.table,
        when: " WHEN (\(row).\(key) NOT NULL\(suffix == "INSERT" ? others : ""))",
        running: "UPDATE \(table) SET \(column) = \(value) WHERE \(condition)\(derived.ownRows); "
          + derived.report(Self.updated, where: condition))
    }
    let start = trigger(
      "Z_DA_\(table)_\(derived.stem)_SOURCE_INSERT", "AFTER INSERT", on: table,
      when: derived.condition("NEW"),
      running:
        "UPDATE \(table) SET \(column) = (SELECT IFNULL(COUNT(\(key)), 0) FROM \(destination.table) "
        + "WHERE \(key) = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; "
        + derived.report(Self.inserted, where: "Z_PK = NEW.Z_PK"))
    return steps + [start]
  }

  private func following(_ path: [String], _ derived: DerivedColumn) -> [SchemaIndex] {
    guard path.count == 2, let toOne = derived.entity.toOnes[path[0]] else {
      return computing(nil, of: path, into: derived)
    }
    guard let destination = self[number: toOne.destination],
      let value = column(of: path[1], in: destination)
    else { return [] }
    let (table, column, key) = (derived.table, derived.column, toOne.key)
    let events: [(suffix: String, event: String, function: String)] = [
      ("INSERT", "AFTER INSERT", Self.inserted), ("UPDATE", "AFTER UPDATE OF ", Self.updated),
    ]
    let source = events.map { step in
      trigger(
        "Z_DA_\(table)_\(derived.stem)_SOURCE_\(step.suffix)",
        step.suffix == "UPDATE" ? step.event + key : step.event, on: table,
        when: derived.condition("NEW"),
        running:
          "UPDATE \(table) SET \(column) = (SELECT \(value) FROM \(destination.table) WHERE Z_PK = "
          + "NEW.\(key)) WHERE Z_PK = NEW.Z_PK; "
          + derived.report(step.function, where: "Z_PK = NEW.Z_PK"))
    }
    let parameter = events.map { step in
      trigger(
        "Z_DA_\(destination.table)_\(derived.stem)_PARAMETER_\(step.suffix)",
        step.suffix == "UPDATE" ? step.event + value : step.event, on: destination.table,
        running:
          "UPDATE \(table) SET \(column) = NEW.\(value) WHERE \(key) = NEW.Z_PK\(derived.ownRows); "
          + derived.report(step.function, where: "\(key) = NEW.Z_PK"))
    }
    return source + parameter
  }

  func trigger(
    _ name: String, _ event: String, on table: String, when condition: String = "",
    running body: String
  ) -> SchemaIndex {
    SchemaIndex(
      name: name, table: table,
      statement:
        "CREATE TRIGGER \(name) \(event) ON \(table) FOR EACH ROW\(condition) BEGIN \(body) END")
  }
}
