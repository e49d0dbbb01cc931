import Foundation

/// A single pass over a model that collects the findings of all rules.
///
/// The pass traverses the hierarchy from the top, maintaining a table of visible properties, so that rules about
/// inherited properties cost no more than others. It uses an explicit stack instead of recursion.
struct ModelCheck {
  let model: NSManagedObjectModel
  let entitiesByName: [String: NSEntityDescription]
  /// Each entity's position in the model.
  let places: [ObjectIdentifier: Int]
  /// The properties that the current entity has or inherits, the nearest last.
  var scope: [String: [NSPropertyDescription]] = [:]
  /// The number of ancestors of the current entity that have uniqueness constraints.
  var constrainedAncestors = 0
  /// When the pass entered and left each entity; entities entered in between are its descendants.
  var spans: [ObjectIdentifier: ClosedRange<Int>] = [:]
  /// The current entity's own properties by name.
  var ownNames: [String: NSPropertyDescription] = [:]
  private var namesByEntity: [ObjectIdentifier: [String: NSPropertyDescription]] = [:]
  private var lookUps = 4_000_000
  private var found: [(place: Int, finding: ModelFinding)] = []

  init(model: NSManagedObjectModel) {
    self.model = model
    entitiesByName = model.entitiesByName
    places = Dictionary(
      model.storedEntities.enumerated().map { (ObjectIdentifier($0.element), $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  mutating func run() -> [ModelFinding] {
    checkNamesOfEntities()
    checkRenamingIdentifiers()
    checkHierarchy()
    let unreached = measureHierarchy()
    forEachEntityDownwards { check, entity in check.check(entity) }
    for entity in unreached { check(entity) }
    checkConfigurations()
    checkTemplates()
    return found.sorted { $0.place < $1.place }.map(\.finding)
  }

  private mutating func check(_ entity: NSEntityDescription) {
    checkNamesOfProperties(of: entity)
    for property in entity.ownPropertyList { check(property, of: entity) }
    checkUniqueness(of: entity)
    checkIndexes(of: entity)
  }

  private mutating func check(
    _ property: NSPropertyDescription, of entity: NSEntityDescription
  ) {
    checkValidation(of: property, in: entity)
    switch property {
    case let attribute as NSAttributeDescription: checkAttribute(attribute, of: entity)
    case let relationship as NSRelationshipDescription:
      checkRelationship(relationship, of: entity)
    case let fetched as NSFetchedPropertyDescription: checkFetched(fetched, of: entity)
    default: break
    }
  }

  // MARK: Reporting

  /// Adds a finding about an entity, one of its properties, or the model.
  mutating func report(
    _ code: ModelFinding.Code, as severity: ModelFinding.Severity = .error,
    in entity: NSEntityDescription?, at property: String? = nil, _ message: String,
    hint: String? = nil
  ) {
    let place = entity.flatMap { places[ObjectIdentifier($0)] } ?? Int.max
    let finding = ModelFinding(
      code: code, severity: severity, entity: entity.map { $0.name ?? "" }, property: property,
      message: message, hint: hint)
    found.append((place, finding))
  }

  // MARK: Traversing the hierarchy

  /// Whether an entity is in the model.
  func contains(_ entity: NSEntityDescription) -> Bool {
    places[ObjectIdentifier(entity)] != nil
  }

  /// Whether an entity is the same as another, or its descendant.
  func isKind(_ entity: NSEntityDescription, of other: NSEntityDescription) -> Bool {
    if entity === other { return true }
    guard let inner = spans[ObjectIdentifier(entity)], let outer = spans[ObjectIdentifier(other)]
    else { return false }
    return outer.lowerBound <= inner.lowerBound && inner.upperBound <= outer.upperBound
  }

  /// Records the position of each entity in the hierarchy.
  ///
  /// - Returns: The entities that can't be reached from a root: those in cycles, and their descendants.
  private mutating func measureHierarchy() -> [NSEntityDescription] {
    var clock = 0
    var entered: [ObjectIdentifier: Int] = [:]
    walk { entity, isEntering in
      if isEntering {
        entered[ObjectIdentifier(entity)] = clock
      } else {
        spans[ObjectIdentifier(entity)] = (entered[ObjectIdentifier(entity)] ?? clock)...clock
      }
      clock += 1
    }
    return model.storedEntities.filter { spans[ObjectIdentifier($0)] == nil }
  }

  /// Visits every entity that can be reached from a root, with its properties in scope.
  private mutating func forEachEntityDownwards(
    _ visit: (inout ModelCheck, NSEntityDescription) -> Void
  ) {
    var visits: [(NSEntityDescription, Bool)] = []
    walk { visits.append(($0, $1)) }
    for (entity, isEntering) in visits {
      if isEntering {
        visit(&self, entity)
        for property in entity.ownPropertyList {
          scope[property.storedName, default: []].append(property)
        }
        if !entity.ownUniquenessConstraints.isEmpty { constrainedAncestors += 1 }
      } else {
        for property in entity.ownPropertyList { scope[property.storedName]?.removeLast() }
        if !entity.ownUniquenessConstraints.isEmpty { constrainedAncestors -= 1 }
      }
    }
  }

  /// Enters and leaves every entity from the roots down, following the superentity links.
  private func walk(_ step: (NSEntityDescription, _ isEntering: Bool) -> Void) {
    var below: [ObjectIdentifier: [NSEntityDescription]] = [:]
    var pending: [(NSEntityDescription, Bool)] = []
    for entity in model.storedEntities {
      if let above = entity.storedSuperentity, contains(above) {
        below[ObjectIdentifier(above), default: []].append(entity)
      } else {
        pending.append((entity, true))
      }
    }
    pending.reverse()
    while let (entity, isEntering) = pending.popLast() {
      step(entity, isEntering)
      guard isEntering else { continue }
      pending.append((entity, false))
      for child in (below[ObjectIdentifier(entity)] ?? []).reversed() {
        pending.append((child, true))
      }
    }
  }

  /// A visible property of the current entity: its own or the nearest inherited one.
  func visibleProperty(named name: String) -> NSPropertyDescription? {
    ownNames[name] ?? scope[name]?.last
  }

  /// The property with a name that another entity has or inherits.
  ///
  /// The cost of a lookup is proportional to the length of the superentity chain. A budget limits the total cost in
  /// malicious models, where it would otherwise be quadratic; once it is exhausted, names count as unknown.
  mutating func nearestProperty(
    named name: String, from entity: NSEntityDescription
  ) -> NSPropertyDescription? {
    var next: NSEntityDescription? = entity
    while let current = next, lookUps > 0 {
      lookUps -= 1
      let key = ObjectIdentifier(current)
      let table = namesByEntity[key] ?? Self.names(of: current)
      namesByEntity[key] = table
      if let property = table[name] { return property }
      // An entity that can't be reached from a root is in a cycle or below one.
      next = spans[key] == nil ? nil : current.storedSuperentity
    }
    return nil
  }

  private static func names(of entity: NSEntityDescription) -> [String: NSPropertyDescription] {
    Dictionary(
      entity.ownPropertyList.map { ($0.storedName, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
