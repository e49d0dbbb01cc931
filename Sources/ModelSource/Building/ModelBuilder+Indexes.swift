import DataModels

extension ModelBuilder {
  /// Adds an entity's indexes: those declared, and those that the compiler creates for attributes marked as indexed and
  /// for compound indexes.
  mutating func addIndexes(of declaration: EntityDeclaration, to entity: NSEntityDescription) {
    let indexed =
      declaration.attributes.filter { $0.isIndexed && !$0.isTransient }.map(\.name)
    guard
      !(indexed.isEmpty && declaration.fetchIndexes.isEmpty && declaration.compoundIndexes.isEmpty)
    else { return }
    var indexes: [String: NSFetchIndexDescription] = [:]
    for name in indexed { indexes[name] = synthesized(name, over: [name]) }
    var tuples: [[String]] = []
    for compound in declaration.compoundIndexes where !compound.names.isEmpty {
      tuples.append(compound.names)
      let name = compound.names.joined(separator: "_")
      if compound.names.count > 1 { indexes[name] = synthesized(name, over: compound.names) }
    }
    for fetchIndex in declaration.fetchIndexes {
      indexes[fetchIndex.name] = declared(fetchIndex, of: declaration.name)
      let names = fetchIndex.elements.filter { $0.expression == nil }.compactMap(\.property)
      guard names.count == fetchIndex.elements.count,
        !fetchIndex.elements.contains(where: \.isRTree)
      else { continue }
      if names.count == 1 {
        entity.ownProperties.first { $0.name == names[0] }?.isIndexed = true
      } else {
        tuples.append(names)
      }
    }
    // The compiler sorts by name, regardless of the order in the source.
    entity.setIndexesUnchecked(indexes.values.sorted { $0.name < $1.name })
    if !tuples.isEmpty { entity.compoundIndexes = tuples }
  }

  private func synthesized(_ name: String, over names: [String]) -> NSFetchIndexDescription {
    let index = NSFetchIndexDescription(
      name: name,
      elements: names.map {
        NSFetchIndexElementDescription(
          propertyName: $0, expression: nil, collationType: .binary, isAscending: true)
      })
    index.isSynthesized = true
    return index
  }

  private mutating func declared(
    _ declaration: FetchIndexDeclaration, of entity: String
  ) -> NSFetchIndexDescription {
    var elements: [NSFetchIndexElementDescription] = []
    for (position, element) in declaration.elements.enumerated() {
      var computed: NSExpressionDescription?
      if let text = element.expression {
        let subject = DiagnosticSubject(
          element.element, entity: entity, property: declaration.name)
        computed = NSExpressionDescription(
          name: element.property ?? "expression\(position + 1)", flags: [.optional, .readOnly],
          expression: expression(text, or: .indexProperty, of: subject, at: "expression"),
          resultType: element.expressionType)
      }
      elements.append(
        NSFetchIndexElementDescription(
          propertyName: computed?.name ?? element.property, expression: computed,
          collationType: element.isRTree ? .rTree : .binary, isAscending: element.isAscending))
    }
    let index = NSFetchIndexDescription(name: declaration.name, elements: elements)
    if let text = declaration.partialPredicate {
      index.storedPartialIndexPredicate = predicate(
        text,
        DiagnosticSubject(declaration.element, entity: entity, property: declaration.name),
        at: "partialIndexPredicate")
    }
    return index
  }
}
