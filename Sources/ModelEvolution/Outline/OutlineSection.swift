import DataModels

/// An entity and what is in it, as read from a model. What is the same in another model is shared.
struct OutlineSection {
  /// The entity's elements, in order.
  private(set) var elements: OutlineElements.Section = [:]
  /// Whether everything is the same in the other model.
  private(set) var isSame: Bool

  private let name: String
  /// The entity's elements in the other model.
  private let known: OutlineElements.Section

  /// Reads an entity.
  ///
  /// If two properties have the same name, the first is used.
  ///
  /// - Parameters:
  ///   - other: the entity in the other model; nil if there is none.
  ///   - known: the elements of that entity.
  init(
    of entity: NSEntityDescription, like other: NSEntityDescription?,
    _ known: OutlineElements.Section
  ) {
    name = entity.name ?? ""
    self.known = known
    let (own, others) = (entity.ownProperties, other?.ownProperties ?? [])
    let haveSameNames = own.elementsEqual(others) { $0.name == $1.name }
    isSame =
      haveSameNames && entity.indexes.elementsEqual(other?.indexes ?? []) { $0.name == $1.name }
    elements.reserveCapacity(own.count + entity.indexes.count + 1)
    share(.entity(name), ModelElement(.entity, reading: entity))
    let indexed = Self.indexedAlone(in: entity)
    let hasIndexMarks =
      !indexed.isEmpty || other.map { !Self.indexedAlone(in: $0).isEmpty } ?? false
    let namesakes =
      haveSameNames || hasIndexMarks
      ? [:] : Dictionary(others.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (place, property) in own.enumerated() {
      let path = ModelPath.property(property.name, of: name)
      let namesake = haveSameNames ? others[place] : namesakes[property.name]
      if !hasIndexMarks, let namesake, PlainEquality.areSame(property, namesake),
        let element = known[path]
      {
        if elements[path] == nil { elements[path] = element }
        continue
      }
      let kind = ModelElementKind(of: property)
      var element = ModelElement(kind, reading: property)
      if indexed.contains(property.name), let fact = Fact.index(of: "indexed", for: kind) {
        element.values[fact] = .flag(false)
      }
      share(path, element)
    }
    for index in entity.indexes {
      share(.index(index.name, of: name), ModelElement(.index, reading: index))
    }
  }

  /// Adds an element, or the other model's if it is equal.
  private mutating func share(_ path: ModelPath, _ element: ModelElement) {
    let before = known[path]
    let isKnown = before == element
    if elements[path] == nil { elements[path] = isKnown ? before : element }
    if !isKnown { isSame = false }
  }

  /// Returns the properties that have an index to themselves. The "indexed" checkbox and an index on one property
  /// mean the same; the index takes precedence, since newer compilers write it in addition to the checkbox.
  private static func indexedAlone(in entity: NSEntityDescription) -> Set<String> {
    var indexed = Set<String>()
    for index in entity.indexes where index.elements.count == 1 {
      if let property = index.elements.first?.propertyName { indexed.insert(property) }
    }
    return indexed
  }
}

extension ModelElement {
  /// Reads an element of a model.
  init(_ kind: ModelElementKind, reading subject: AnyObject) {
    let isPlain = kind.isProperty && (subject as? NSPropertyDescription)?.extras == nil
    self.init(
      kind: kind,
      values: Fact.table(for: kind).map { $0.isRare && isPlain ? .none : $0.read(subject) })
  }
}
