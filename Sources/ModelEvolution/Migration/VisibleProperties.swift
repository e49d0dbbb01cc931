/// The persistent properties of each entity of a model, own and inherited. Determined once, and reused for all models
/// that it is matched with; versions of a model share the entities that are the same.
struct VisibleProperties: Sendable {
  /// A property visible in an entity.
  final class Property: Sendable {
    /// The path of its declaration.
    let path: ModelPath
    let element: ModelElement
    let identifier: String
    let name: String
    /// Attributes of any kind match attributes, and relationships match relationships.
    let isRelationship: Bool

    init(path: ModelPath, element: ModelElement) {
      self.path = path
      self.element = element
      identifier = element.renamingIdentifier(at: path)
      name = path.name
      isRelationship = element.kind == .relationship
    }

    /// Whether another property has the same path and says the same.
    func isSame(as other: Property) -> Bool {
      self === other || path == other.path && element == other.element
    }
  }

  /// The properties of an entity. If a name is declared repeatedly, the nearest declaration counts.
  struct Contents: Sendable {
    let properties: [Property]
    /// Whether all renaming identifiers are distinct.
    let areUnambiguous: Bool
    /// Whether each property's name equals the identifier that it is matched by.
    let areByName: Bool
    /// The indexes of the properties, by name.
    let places: [String: Int]

    init(_ properties: [Property]) {
      self.properties = properties
      var places: [String: Int] = [:]
      var areByName = true
      places.reserveCapacity(properties.count)
      for (place, property) in properties.enumerated() {
        if places.updateValue(place, forKey: property.name) != nil { areByName = false }
        if property.identifier != property.name { areByName = false }
      }
      self.places = places
      self.areByName = areByName
      areUnambiguous = areByName || Set(properties.map(\.identifier)).count == properties.count
    }

    subscript(name: String) -> Property? { places[name].map { properties[$0] } }
  }

  /// An entity with its properties.
  final class Entity: Sendable {
    let name: String
    let element: ModelElement
    let identifier: String
    /// The entity and its ancestors, nearest first.
    let lineage: [String]
    let contents: Contents

    /// The topmost ancestor.
    var root: String { lineage.last ?? name }

    init(name: String, element: ModelElement, lineage: [String], contents: Contents) {
      self.name = name
      self.element = element
      self.lineage = lineage
      self.contents = contents
      identifier = element.renamingIdentifier(at: .entity(name))
    }
  }

  let outline: ModelOutline
  /// The entities, in the model's order.
  let entities: [Entity]
  /// Whether each entity's name equals the identifier that it is matched by.
  let areByName: Bool
  private let places: [String: Int]

  /// Determines the properties of a model's entities, reusing those of another model.
  ///
  /// - Parameters:
  ///   - last: the properties of the other model, if any.
  ///   - unchanged: the entities that are the same in both models.
  init(
    of outline: ModelOutline, like last: VisibleProperties? = nil, unchanged: Set<String> = []
  ) {
    var reader = Reader(outline: outline)
    let names = outline.elements.entityNames
    var entities: [Entity] = []
    entities.reserveCapacity(names.count)
    for (place, name) in names.enumerated() {
      let known = last?.entity(name, probably: place)
      // Names that are equal in Swift may have different bytes.
      if let known, known.lineage.allSatisfy(unchanged.contains),
        known.name.utf8.elementsEqual(name.utf8)
      {
        entities.append(known)
      } else if let entity = reader.entity(name, like: known) {
        entities.append(entity)
      }
    }
    self.outline = outline
    self.entities = entities
    areByName = entities.allSatisfy { $0.name == $0.identifier }
    if let last, last.entities.elementsEqual(entities, by: { $0.name == $1.name }) {
      places = last.places
    } else {
      places = Dictionary(
        entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The entity with a name; nil when there is none.
  subscript(name: String) -> Entity? { places[name].map { entities[$0] } }

  /// The entity with a name, which is probably at the given index.
  func entity(_ name: String, probably place: Int) -> Entity? {
    place < entities.count && entities[place].name == name ? entities[place] : self[name]
  }

  /// Reads the entities that aren't shared.
  private struct Reader {
    let outline: ModelOutline
    /// The properties that each entity declares, as far as they were needed.
    private var own: [String: [Property]] = [:]

    init(outline: ModelOutline) { self.outline = outline }

    /// Reads an entity, sharing the other model's properties that are the same.
    mutating func entity(_ name: String, like known: Entity?) -> Entity? {
      guard let element = outline[.entity(name)] else { return nil }
      let lineage = outline.lineage(of: name)
      var properties = declared(in: name)
      if lineage.count > 1 {
        var names = Set(properties.map(\.name))
        for ancestor in lineage.dropFirst() {
          properties += declared(in: ancestor).filter { names.insert($0.name).inserted }
        }
      }
      let shared = properties.map { property in
        guard let same = known?.contents[property.name], same.isSame(as: property) else {
          return property
        }
        return same
      }
      return Entity(name: name, element: element, lineage: lineage, contents: Contents(shared))
    }

    private mutating func declared(in entity: String) -> [Property] {
      if let known = own[entity] { return known }
      var properties: [Property] = []
      if let place = outline.elements.place(ofSection: entity) {
        for (path, element) in outline.elements.section(at: place)
        where element.kind.isAttribute || element.kind == .relationship {
          properties.append(Property(path: path, element: element))
        }
      }
      own[entity] = properties
      return properties
    }
  }
}
