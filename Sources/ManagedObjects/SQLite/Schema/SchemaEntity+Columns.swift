import DataModels
import PredicateFormat

extension SchemaEntity {
  /// The column of an attribute or a to-one relationship; nil for other properties.
  func column(of property: String) -> String? {
    toOnes[property]?.key ?? attributes[property]
  }

  /// The column of a fetch index's element, which may be the object itself or its entity.
  func column(of element: NSFetchIndexElementDescription) -> String? {
    guard let expression = element.expressionDescription else {
      return element.propertyName.flatMap { column(of: $0) }
    }
    switch expression.expression?.tree {
    case .evaluatedObject: return "Z_PK"
    case .keyPath(let path) where path.operand == .evaluatedObject:
      return path.path == "entity" ? "Z_ENT" : column(of: path.path)
    default: return nil
    }
  }

  /// The entity's own attributes that are marked as "indexed" in the older form, sorted by name.
  var ownIndexedAttributes: [String] {
    description.ownProperties.compactMap { property in
      property.isIndexed && !property.isTransient && attributes[property.name] != nil
        ? property.name : nil
    }.sorted(by: NameOrder.precedes)
  }

  /// The entity's own uniqueness constraints, as lists of property names.
  var ownUniquenessConstraints: [[String]] { description.ownUniquenessConstraints }

  /// The columns of what a uniqueness constraint names, of a composite attribute those of all elements; nil if it names
  /// something without a column, or nothing. The columns of the rest would be a stricter constraint.
  func columns(ofConstraint names: [String]) -> [String]? {
    var columns: [String] = []
    for name in names {
      let own = columnsOfAll(name)
      guard !own.isEmpty else { return nil }
      columns += own
    }
    return columns.isEmpty ? nil : columns
  }

  /// The columns of an attribute, a to-one relationship or the elements of a composite attribute, sorted by path; empty
  /// for other properties.
  func columnsOfAll(_ property: String) -> [String] {
    if let column = column(of: property) { return [column] }
    return attributes.filter { $0.key.hasPrefix(property + ".") }
      .sorted { $0.key < $1.key }.map(\.value)
  }
}

extension SchemaEntity {
  /// A persistent attribute, or an element of a composite one by its path.
  func attribute(at path: String) -> NSAttributeDescription? {
    var keys = path.pathKeys[...]
    guard let first = keys.popFirst(), var attribute = description.attributesByName[first] else {
      return nil
    }
    while let key = keys.popFirst() {
      guard let composite = attribute as? NSCompositeAttributeDescription,
        let element = composite.elements.first(where: { $0.name == key })
      else { return nil }
      attribute = element
    }
    return attribute
  }

  /// The type of a persistent attribute, or of an element of a composite one by its path.
  func attributeType(_ path: String) -> NSAttributeType? { attribute(at: path)?.attributeType }
}
