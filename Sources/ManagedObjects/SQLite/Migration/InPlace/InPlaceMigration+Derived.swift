import DataModels
import PredicateFormat

/// Derived attributes, which triggers didn't update while rows were copied.
extension InPlaceMigration {
  func fillDerivedAttributes() throws {
    for (entity, attribute) in derivedAttributes() {
      guard let column = new.column(of: attribute.name, in: entity),
        let value = attribute.derivationExpression.flatMap({ derivation($0.tree, in: entity) })
      else {
        // Sums, extrema and longer paths use the SQL of the store's triggers.
        if let filling = new.filling(of: attribute, in: entity) {
          try connection.execute(filling)
        }
        continue
      }
      try connection.execute(
        "UPDATE \(entity.table) AS s SET \(column) = \(value) "
          + "WHERE s.Z_ENT = \(entity.number) AND s.\(column) IS NOT \(value)")
    }
  }

  /// The derived attributes to fill: each after those that it is derived from.
  private func derivedAttributes() -> [(SchemaEntity, NSDerivedAttributeDescription)] {
    var levels: [[(SchemaEntity, NSDerivedAttributeDescription)]] = []
    for entity in new.entities where !entity.description.isAbstract {
      let derived = entity.description.attributesByName.values
        .compactMap { $0 as? NSDerivedAttributeDescription }.sorted { $0.name < $1.name }
      // What a filter leaves out can't be told in SQL: the values that rows came with stay.
      for attribute in derived where attribute.filteringPredicate == nil {
        let level = level(of: attribute, in: entity)
        while levels.count <= level { levels.append([]) }
        levels[level].append((entity, attribute))
      }
    }
    return levels.flatMap(\.self)
  }

  /// How many derived attributes an attribute's value passes through on its way from one that isn't.
  ///
  /// - Parameter passed: the ones passed already: an attribute may be derived from itself, in another row.
  private func level(
    of attribute: NSDerivedAttributeDescription, in entity: SchemaEntity, passed: Set<String> = []
  ) -> Int {
    let place = "\(entity.name).\(attribute.name)"
    guard !passed.contains(place), let tree = attribute.derivationExpression?.tree,
      let path = Derivation(tree)?.path, let name = path.last
    else { return 0 }
    var end = entity
    for key in path.dropLast() {
      let number = end.toOnes[key]?.destination ?? end.toManys[key]?.destinationNumber
      guard let next = number.flatMap({ new[number: $0] }) else { return 0 }
      end = next
    }
    guard let source = end.description.attributesByName[name] as? NSDerivedAttributeDescription
    else { return 0 }
    return 1 + level(of: source, in: end, passed: passed.union([place]))
  }

  /// The SQL of a derivation for the row `s`; nil for one that only a save computes.
  private func derivation(_ tree: ExpressionTree, in entity: SchemaEntity) -> String? {
    switch tree {
    case .function(let function):
      guard case .keyPath(let path)? = function.arguments.first, function.arguments.count == 1
      else { return nil }
      switch function.selector {
      case "count:": return memberCount(path.path, in: entity)
      case "canonical:": return call("NSCoreDataCanonical", path.path, in: entity)
      case "uppercase:": return call("NSCoreDataToUpper", path.path, in: entity)
      case "lowercase:": return call("NSCoreDataToLower", path.path, in: entity)
      default: return nil
      }
    case .keyPath(let path) where path.operand == .evaluatedObject:
      if path.path.hasSuffix(".@count") {
        return memberCount(String(path.path.dropLast(".@count".count)), in: entity)
      }
      let keys = path.path.split(separator: ".").map(String.init)
      guard keys.count == 2, let toOne = entity.toOnes[keys[0]],
        let destination = new[number: toOne.destination],
        let value = new.column(of: keys[1], in: destination)
      else { return nil }
      return "(SELECT d.\(value) FROM \(destination.table) d WHERE d.Z_PK = s.\(toOne.key))"
    default: return nil
    }
  }

  private func call(_ function: String, _ name: String, in entity: SchemaEntity) -> String? {
    new.column(of: name, in: entity).map { "\(function)(s.\($0))" }
  }
}
