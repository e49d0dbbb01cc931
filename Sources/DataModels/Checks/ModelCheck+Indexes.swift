import Foundation

// Rules about indexes.
extension ModelCheck {
  mutating func checkIndexes(of entity: NSEntityDescription) {
    var names = Set<String>()
    for index in entity.indexes {
      let name = index.storedName
      if name.isEmpty {
        report(.indexName, in: entity, "an index has no name", hint: "set its name")
      } else if !names.insert(name).inserted {
        report(.indexName, in: entity, at: name, "another index of the entity has the same name")
      }
      if index.storedElements.isEmpty {
        report(.indexElement, as: .warning, in: entity, at: name, "the index has no elements")
      }
      for element in index.storedElements { checkElement(element, of: index, in: entity) }
      let types = Set(index.storedElements.map(\.storedCollationType))
      if types.count > 1 {
        report(
          .indexType, in: entity, at: name, "the index mixes sorted and R-tree elements",
          hint: "split it into two indexes")
      }
    }
    for names in entity.compoundIndexNames {
      for name in names where visibleProperty(atPath: name) == nil {
        report(
          .indexElement, in: entity, at: name,
          "the compound index (\(names.joined(separator: ", "))) includes '\(name)', which doesn't"
            + " exist")
      }
    }
  }

  private mutating func checkElement(
    _ element: NSFetchIndexElementDescription, of index: NSFetchIndexDescription,
    in entity: NSEntityDescription
  ) {
    guard element.expressionDescription == nil else { return }
    let name = element.propertyName ?? ""
    guard let property = visibleProperty(atPath: name) else {
      report(
        .indexElement, in: entity, at: index.storedName,
        "the index includes '\(name)', which doesn't exist")
      return
    }
    if !isStored(property) {
      report(
        .indexElement, in: entity, at: index.storedName,
        "the index includes '\(name)', which isn't stored")
    } else if (property as? NSRelationshipDescription)?.isToMany == true {
      report(
        .indexElement, as: .warning, in: entity, at: index.storedName,
        "the index includes '\(name)', a to-many relationship")
    }
    guard element.storedCollationType == .rTree else { return }
    if (property as? NSAttributeDescription).map({ Self.isOrdered($0.storedType) }) != true {
      report(
        .indexType, in: entity, at: index.storedName,
        "the R-tree index includes '\(name)', which isn't a number")
    }
  }

  /// Whether an R-tree can index values of a type.
  private static func isOrdered(_ type: NSAttributeType) -> Bool {
    type.isNumeric || type == .dateAttributeType
  }
}
