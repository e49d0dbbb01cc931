import MomKit

/// What a context says about objects, by URI: comparable between contexts, also where the program's names don't
/// identify objects any more.
struct GraphState {
  /// An object's properties. Members of unordered relationships are sorted.
  struct Object: Equatable {
    var entity: String
    var attributes: [String: Int] = [:]
    var toOnes: [String: String] = [:]
    var toManys: [String: [String]] = [:]
  }

  var objects: [String: Object] = [:]
  /// Whether there are objects besides these.
  var isPart = false

  /// The stored attributes and the relationships of an object.
  ///
  /// - Parameter onlyLoaded: whether to-many relationships that would have to be read are left out.
  static func object(
    _ object: NSManagedObject, _ plan: ModelPlan, onlyLoaded: Bool = false
  ) -> Object {
    let entity = object.entity.name ?? ""
    var state = Object(entity: entity)
    for attribute in plan.attributes(of: entity)
    where !attribute.isTransient && attribute.counted == nil {
      guard let value = object.value(forKey: attribute.name) else { continue }
      // What nobody set gets a number that no value has.
      state.attributes[attribute.name] =
        attribute.name == ModelPlan.serial
        ? (value as? NSNumber)?.intValue ?? -1 : attribute.kind.number(of: value) ?? -1
    }
    for relationship in plan.relationships(of: entity) {
      let key = relationship.name
      if onlyLoaded, relationship.isToMany, object.hasFault(forRelationshipNamed: key) { continue }
      let value = object.value(forKey: key)
      if relationship.isToMany {
        let members = Stack.objects(value).filter { !$0.isDeleted }.map(Self.uri)
        state.toManys[key] = relationship.isOrdered ? members : members.sorted()
      } else {
        state.toOnes[key] = (value as? NSManagedObject).map(Self.uri)
      }
    }
    return state
  }

  static func uri(_ object: NSManagedObject) -> String {
    object.objectID.uriRepresentation().absoluteString
  }

  /// Everything in a coordinator's stores, as a new context reads it.
  static func stored(_ coordinator: NSPersistentStoreCoordinator, _ plan: ModelPlan) throws -> Self
  {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var state = Self()
    for entity in plan.entities where entity.parent == nil {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
      for object in try context.fetch(request) {
        state.objects[uri(object)] = Self.object(object, plan)
      }
    }
    return state
  }

  /// The first relationship that leads to no object, or that has only one side.
  func brokenRelationship(_ plan: ModelPlan) -> (rule: String, place: String)? {
    for (uri, object) in objects.sorted(by: { $0.key < $1.key }) {
      for relationship in plan.relationships(of: object.entity) {
        let key = relationship.name
        let targets = object.toOnes[key].map { [$0] } ?? object.toManys[key] ?? []
        if !isPart, Set(targets).count < targets.count {
          return ("member twice", "\(key) of \(uri)")
        }
        for target in targets {
          guard let other = objects[target] else {
            // The rule "no action" leaves the keys, and without an inverse nothing ends them.
            guard !isPart, let inverse = plan.inverse(of: relationship), inverse.rule != .noAction
            else { continue }
            return ("dangling", "\(key) of \(uri) leads to \(target)")
          }
          if let inverse = plan.inverse(of: relationship), !other.leads(by: inverse, to: uri) {
            return ("one-sided", "\(key) of \(uri) leads to \(target)")
          }
        }
      }
    }
    return nil
  }
}

extension GraphState.Object {
  /// Whether a relationship leads to an object, as far as its members are known.
  fileprivate func leads(by relationship: RelationshipPlan, to uri: String) -> Bool {
    relationship.isToMany
      ? toManys[relationship.name]?.contains(uri) != false : toOnes[relationship.name] == uri
  }
}
