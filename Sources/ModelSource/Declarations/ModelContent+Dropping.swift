extension ModelContent {
  /// Drops everything without a name, and all but the first of everything with the same name, since models can't
  /// contain them.
  mutating func dropUnnamed() {
    fetchRequests = Self.named(fetchRequests, \.name)
    configurations = Self.named(configurations, \.name)
    composites = Self.named(composites, \.name).map { composite in
      var composite = composite
      composite.attributes = Self.named(composite.attributes, \.name)
      return composite
    }
    entities = Self.named(entities, \.name).map { declaration in
      var entity = declaration.content
      // In lookups by name, attributes precede relationships, which precede fetched properties.
      var seen: Set<String> = []
      entity.attributes = Self.named(entity.attributes, by: \.name, seen: &seen)
      entity.relationships = Self.named(entity.relationships, by: \.name, seen: &seen)
      entity.fetchedProperties = Self.named(entity.fetchedProperties, by: \.name, seen: &seen)
      entity.fetchIndexes = Self.named(entity.fetchIndexes, \.name).map { index in
        var index = index
        index.elements.removeAll { $0.property == nil && $0.expression == nil }
        return index
      }
      entity.uniquenessConstraints.removeAll { $0.names.isEmpty }
      return EntityDeclaration(entity)
    }
  }

  private static func named<Item>(_ items: [Item], _ name: (Item) -> String) -> [Item] {
    var seen: Set<String> = []
    return named(items, by: name, seen: &seen)
  }

  private static func named<Item>(
    _ items: [Item], by name: (Item) -> String, seen: inout Set<String>
  ) -> [Item] {
    items.filter { !name($0).isEmpty && seen.insert(name($0)).inserted }
  }
}
