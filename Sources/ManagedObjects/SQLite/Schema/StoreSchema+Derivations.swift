import DataModels
import PredicateFormat

/// Triggers for derivations that occur in none of the real stores examined: functions of strings, the time of the
/// save, sums and extrema, longer paths, and counts over join tables.
///
/// They recompute the value whenever something it depends on changes, so it can't drift.
extension StoreSchema {
  /// A path of to-one relationships to an attribute, or to an element of a composite one.
  private struct Route {
    /// A to-one relationship in the path, with its source entity.
    typealias Step = (entity: SchemaEntity, key: String)

    var steps: [Step] = []
    let end: SchemaEntity
    /// The attribute's column.
    let value: String

    /// The SQL of the value for the row with key `start`, along the remaining steps.
    func value(behind start: String, _ rest: ArraySlice<Step>) -> String {
      guard let next = rest.first else {
        return "(SELECT \(value) FROM \(end.table) WHERE Z_PK = \(start))"
      }
      return value(
        behind: "(SELECT \(next.key) FROM \(next.entity.table) WHERE Z_PK = \(start))",
        rest.dropFirst())
    }

    /// The SQL of the value for a row.
    ///
    /// - Parameter row: `NEW`, or an alias. A table's name would mean the row of the subselect, if the path returns to
    ///   the table.
    func value(for row: String) -> String {
      steps.first.map { value(behind: "\(row).\($0.key)", steps.dropFirst()) }
        ?? "\(row).\(value)"
    }
  }

  private func route(_ path: [String], from start: SchemaEntity) -> Route? {
    var steps: [Route.Step] = []
    var (entity, rest) = (start, path[...])
    while rest.count > 1, let toOne = rest.first.flatMap({ entity.toOnes[$0] }) {
      guard let next = self[number: toOne.destination] else { return nil }
      steps.append((entity, toOne.key))
      (entity, rest) = (next, rest.dropFirst())
    }
    // More than one key is left for an element of a composite attribute.
    guard let value = column(of: rest.joined(separator: "."), in: entity) else { return nil }
    return Route(steps: steps, end: entity, value: value)
  }

  /// Whether an attribute is derived from an element of a composite one.
  func followsElement(
    _ attribute: NSDerivedAttributeDescription, in entity: SchemaEntity
  ) -> Bool {
    guard let tree = attribute.derivationExpression?.tree else { return false }
    switch Derivation(tree) {
    case .path(let path)?, .text(_, let path)?:
      // What follows the relationships is one key of an attribute, or several of an element.
      return route(path, from: entity).map { path.count - $0.steps.count > 1 } ?? false
    default: return false
    }
  }

  /// The column whose contents SQL can derive an attribute from, or store a derived one in; nil if these may name a
  /// file, which belongs to one row: as with triggers for some destinations only, no value is better than a wrong one.
  func column(of attribute: String, in entity: SchemaEntity) -> String? {
    guard entity.attribute(at: attribute)?.allowsExternalBinaryDataStorage != true
    else { return nil }
    return entity.attributes[attribute]
  }

  // MARK: Values along to-one relationships

  /// Triggers for an attribute at the end of a path of to-one relationships, optionally with a function applied.
  func computing(
    _ function: Derivation.TextFunction?, of path: [String], into derived: DerivedColumn
  ) -> [SchemaIndex] {
    guard let route = route(path, from: derived.entity) else { return [] }
    let (steps, end, value) = (route.steps, route.end, route.value)
    func called(_ sql: String) -> String { function.map { "\($0.name)(\(sql))" } ?? sql }
    func nested(_ start: String, _ steps: ArraySlice<Route.Step>) -> String {
      route.value(behind: start, steps)
    }
    var triggers: [SchemaIndex] = []
    let stem = "Z_DA_\(derived.table)_\(derived.stem)_SOURCE"
    let (source, first) = (route.value(for: "NEW"), steps.first?.key ?? value)
    for (suffix, event, report) in [
      ("INSERT", "AFTER INSERT", Self.inserted),
      ("UPDATE", "AFTER UPDATE OF \(first)", Self.updated),
    ] {
      triggers.append(
        trigger(
          "\(stem)_\(suffix)", event, on: derived.table, when: derived.condition("NEW"),
          running: derived.assignment(called(source), where: "Z_PK = NEW.Z_PK", report)))
    }
    // Each row on the path may get another destination, and the value of the last one may change; each may also be
    // inserted after the row that refers to it.
    for index in steps.indices {
      let isLast = index == steps.count - 1
      let (table, column) =
        isLast ? (end.table, value) : (steps[index + 1].entity.table, steps[index + 1].key)
      // The rows of the derived attribute whose path leads here.
      var owners = "\(steps[index].key) = NEW.Z_PK"
      for earlier in stride(from: index - 1, through: 0, by: -1) {
        let between = steps[earlier + 1].entity.table
        owners = "\(steps[earlier].key) IN (SELECT Z_PK FROM \(between) WHERE \(owners))"
      }
      let new = isLast ? "NEW.\(value)" : nested("NEW.\(column)", steps.dropFirst(index + 2))
      let place = steps.count == 1 ? "PARAMETER" : "PARAMETER\(index)"
      for (suffix, event, report) in [
        ("INSERT", "AFTER INSERT", Self.inserted),
        ("UPDATE", "AFTER UPDATE OF \(column)", Self.updated),
      ] {
        triggers.append(
          trigger(
            "Z_DA_\(table)_\(derived.stem)_\(place)_\(suffix)", event, on: table,
            running: derived.assignment(called(new), where: owners, report)))
      }
    }
    return triggers
  }

  // MARK: Existing rows

  /// The statement that computes a derived attribute of existing rows, which were inserted before the triggers; nil
  /// for one that only a save computes.
  func filling(
    of attribute: NSDerivedAttributeDescription, in entity: SchemaEntity
  ) -> String? {
    guard attribute.filteringPredicate == nil, let column = column(of: attribute.name, in: entity),
      let tree = attribute.derivationExpression?.tree, let derivation = Derivation(tree)
    else { return nil }
    let computed: String
    switch derivation {
    case .now: return nil
    case .path(let path):
      guard let route = route(path, from: entity) else { return nil }
      computed = route.value(for: "s")
    case .text(let function, let path):
      guard let route = route(path, from: entity) else { return nil }
      computed = "\(function.name)(\(route.value(for: "s")))"
    case .count(let relationship):
      guard let storage = entity.toManys[relationship] else { return nil }
      computed = "(SELECT COUNT(*) FROM \(storage.rows(of: "s.Z_PK", as: "d", self)))"
    case .aggregate(let function, let relationship, let name):
      guard let storage = entity.toManys[relationship],
        let value = self[number: storage.destinationNumber]?.attributes[name]
      else { return nil }
      computed =
        "(SELECT \(Self.aggregate(function, value)) FROM "
        + "\(storage.rows(of: "s.Z_PK", as: "d", self)))"
    }
    return "UPDATE \(entity.table) AS s SET \(column) = \(computed) "
      + "WHERE s.Z_ENT BETWEEN \(entity.number) AND \(entity.lastNumber)"
  }

  /// An aggregate of a column of rows `d`.
  private static func aggregate(_ function: String, _ value: String) -> String {
    let aggregate = "\(function.uppercased())(d.\(value))"
    return function == "sum" ? "IFNULL(\(aggregate), 0)" : aggregate
  }

  // MARK: Time of the save

  /// Triggers for the time of the save, when the row's version is incremented.
  func stamping(_ derived: DerivedColumn) -> [SchemaIndex] {
    [
      ("INSERT", "AFTER INSERT", Self.inserted), ("UPDATE", "AFTER UPDATE OF Z_OPT", Self.updated),
    ].map { suffix, event, report in
      trigger(
        "Z_DA_\(derived.table)_\(derived.stem)_SOURCE_\(suffix)", event, on: derived.table,
        when: derived.condition("NEW"),
        running: derived.assignment("NSCoreDataNow()", where: "Z_PK = NEW.Z_PK", report))
    }
  }

  // MARK: Aggregates

  /// Triggers for the sum, minimum, maximum or average of an attribute of a to-many relationship's destinations.
  func aggregating(
    _ function: String, over relationship: String, attribute: String, into derived: DerivedColumn
  ) -> [SchemaIndex] {
    guard let storage = derived.entity.toManys[relationship],
      let destination = self[number: storage.destinationNumber],
      let value = destination.attributes[attribute]
    else { return [] }
    let computed = Self.aggregate(function, value)
    func recompute(_ owner: String, _ report: String) -> String {
      let rows = storage.rows(of: owner, as: "d", self)
      return derived.assignment(
        "(SELECT \(computed) FROM \(rows))", where: "Z_PK = \(owner)", report)
    }
    let stem = "Z_DA_\(destination.table)_\(derived.stem)_PARAMETER"
    var triggers: [SchemaIndex] = []
    switch storage {
    case .key(let key, _, _, _):
      for (suffix, event, row, condition) in [
        ("INSERT", "AFTER INSERT", "NEW", "NEW.\(key) NOT NULL"),
        ("UPDATE_SET", "AFTER UPDATE OF \(key), \(value)", "NEW", "NEW.\(key) NOT NULL"),
        (
          "UPDATE_UNSET", "AFTER UPDATE OF \(key)", "OLD",
          "OLD.\(key) NOT NULL AND OLD.\(key) IS NOT NEW.\(key)"
        ),
        ("DELETE", "AFTER DELETE", "OLD", "OLD.\(key) NOT NULL"),
      ] {
        triggers.append(
          trigger(
            "\(stem)_\(suffix)", event, on: destination.table, when: " WHEN (\(condition))",
            running: recompute("\(row).\(key)", Self.updated)))
      }
    case .join(let index, _, _):
      let join = joinTables[index]
      triggers += joined(through: join, of: storage, derived: derived) {
        recompute($0, Self.updated)
      }
      let owners =
        "(SELECT \(storage.ownKey(join)) FROM \(join.name) WHERE \(storage.otherKey(join)) = NEW.Z_PK)"
      let rows = storage.rows(of: "\(derived.table).Z_PK", as: "d", self)
      triggers.append(
        trigger(
          "\(stem)_UPDATE_SET", "AFTER UPDATE OF \(value)", on: destination.table,
          running: derived.assignment(
            "(SELECT \(computed) FROM \(rows))", where: "Z_PK IN \(owners)", Self.updated)))
    }
    triggers.append(
      trigger(
        "Z_DA_\(derived.table)_\(derived.stem)_SOURCE_INSERT", "AFTER INSERT", on: derived.table,
        when: derived.condition("NEW"), running: recompute("NEW.Z_PK", Self.inserted)))
    return triggers
  }

  /// Triggers for the number of destinations of a many-to-many relationship.
  func countingJoined(_ relationship: String, _ derived: DerivedColumn) -> [SchemaIndex] {
    guard let storage = derived.entity.toManys[relationship], case .join(let index, _, _) = storage
    else { return [] }
    let join = joinTables[index]
    func recompute(_ owner: String, _ report: String) -> String {
      derived.assignment(
        "(SELECT COUNT(*) FROM \(storage.rows(of: owner, as: "d", self)))",
        where: "Z_PK = \(owner)", report)
    }
    return joined(through: join, of: storage, derived: derived) { recompute($0, Self.updated) } + [
      trigger(
        "Z_DA_\(derived.table)_\(derived.stem)_SOURCE_INSERT", "AFTER INSERT", on: derived.table,
        when: derived.condition("NEW"), running: recompute("NEW.Z_PK", Self.inserted))
    ]
  }

  /// Triggers for the rows of a join table; in a reflexive one both columns contain owners.
  private func joined(
    through join: JoinTable, of storage: SchemaEntity.ToMany, derived: DerivedColumn,
    _ body: (String) -> String
  ) -> [SchemaIndex] {
    let keys =
      join.isReflexive ? [join.ownerKey, join.inverseKey] : [storage.ownKey(join)]
    return [("INSERT", "NEW"), ("DELETE", "OLD")].map { event, row in
      trigger(
        "Z_DA_\(join.name)_\(derived.stem)_PARAMETER_\(event)", "AFTER \(event)", on: join.name,
        running: keys.map { body("\(row).\($0)") }.joined(separator: " "))
    }
  }
}

extension StoreSchema.DerivedColumn {
  /// The condition that a row is of the attribute's entity, if other entities share its table.
  ///
  /// Core Data has such a condition, but no real store shows its exact form for triggers after insertions.
  func condition(_ row: String) -> String {
    guard entity.parentNumber != 0 else { return "" }
    return " WHEN (\(entity.number) <= \(row).Z_ENT AND \(row).Z_ENT <= \(entity.lastNumber))"
  }

  /// Sets the attribute of some rows, and reports it.
  func assignment(_ value: String, where condition: String, _ function: String) -> String {
    "UPDATE \(table) SET \(column) = \(value) WHERE \(condition)\(ownRows); "
      + report(function, where: condition)
  }
}
