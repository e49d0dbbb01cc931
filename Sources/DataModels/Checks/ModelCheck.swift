import Foundation

/// One pass over a model that collects everything a rule has to say.
///
/// The pass goes down the hierarchy with a table of the properties in sight, so that rules about
/// inherited properties cost no more than others; it uses a stack of its own.
struct ModelCheck {
  let model: NSManagedObjectModel
  let entitiesByName: [String: NSEntityDescription]
  /// Each entity's place in the model.
  let places: [ObjectIdentifier: Int]
  /// The properties that the entity at hand has or inherits, the nearest last.
  var scope: [String: [NSPropertyDescription]] = [:]
  /// How many entities above the one at hand have uniqueness constraints.
  var constrainedAncestors = 0
  /// When the pass entered and left each entity; what is entered in between lies below it.
  var spans: [ObjectIdentifier: ClosedRange<Int>] = [:]
  /// The own properties of the entity at hand by name.
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

  /// Adds a finding about an entity, a property of it, or the model.
  mutating func report(
    _ code: ModelFinding.Code, _ severity: ModelFinding.Severity = .error,
    in entity: NSEntityDescription?, at property: String? = nil, _ message: String,
    hint: String? = nil
  ) {
    let place = entity.flatMap { places[ObjectIdentifier($0)] } ?? Int.max
    let finding = ModelFinding(
      code: code, severity: severity, entity: entity.map { $0.name ?? "" }, property: property,
      message: message, hint: hint)
    found.append((place, finding))
  }

  // MARK: Going down the hierarchy

  /// Whether the entity is in the model.
  func contains(_ entity: NSEntityDescription) -> Bool {
    places[ObjectIdentifier(entity)] != nil
  }

  /// Whether the one entity is the other, or below it.
  func isKind(_ entity: NSEntityDescription, of other: NSEntityDescription) -> Bool {
    if entity === other { return true }
    guard let inner = spans[ObjectIdentifier(entity)], let outer = spans[ObjectIdentifier(other)]
    else { return false }
    return outer.lowerBound <= inner.lowerBound && inner.upperBound <= outer.upperBound
  }

  /// Records where each entity lies in the hierarchy.
  ///
  /// - Returns: The entities that no way from a root leads to: those in circles, or below them.
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

  /// Enters and leaves every entity from the roots down, by the superentities that entities name.
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

  /// The property in sight of the entity at hand: an own one or the nearest inherited one.
  func visibleProperty(named name: String) -> NSPropertyDescription? {
    ownNames[name] ?? scope[name]?.last
  }

  /// The property of this name that another entity has or inherits.
  ///
  /// Looking up a chain takes as long as the chain; hostile models, whose chains would make all
  /// these look-ups together quadratic, come to the end of a budget, and the name counts as unknown.
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
      // What no way from a root leads to is in a circle, or below one.
      next = spans[key] == nil ? nil : current.storedSuperentity
    }
    return nil
  }

  private static func names(of entity: NSEntityDescription) -> [String: NSPropertyDescription] {
    Dictionary(
      entity.ownPropertyList.map { ($0.storedName, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
