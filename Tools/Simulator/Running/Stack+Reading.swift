import MomKit

/// Reads and fetches objects.
extension Stack {
  /// The state of the objects of a context.
  ///
  /// - Parameter names: the objects that the context should have registered; the retained ones are read too.
  func views(_ c: Int, _ names: some Sequence<ObjectName>) throws -> [ObjectName: ObjectView] {
    for name in names { _ = try object(name, c) }
    var views: [ObjectName: ObjectView] = [:]
    for (name, object) in held[c].sorted(by: { $0.key < $1.key }) {
      guard object.managedObjectContext === contexts[c] else { continue }
      views[name] = try view(object) { try self.name(of: $0, c) }
    }
    return views
  }

  func view(
    _ object: NSManagedObject, naming name: (NSManagedObject) throws -> ObjectName
  ) throws -> ObjectView {
    let entity = object.entity.name ?? ""
    var view = ObjectView(
      entity: entity,
      flags: (object.isInserted ? "i" : "") + (object.isUpdated ? "u" : "")
        + (object.isDeleted ? "d" : ""))
    if object.isDeleted { return view }
    for attribute in plan.attributes(of: entity) {
      guard let value = object.value(forKey: attribute.name) else { continue }
      view.attributes[attribute.name] = try number(value, attribute)
    }
    for relationship in plan.relationships(of: entity) {
      let value = object.value(forKey: relationship.name)
      guard relationship.isToMany else {
        if let target = value as? NSManagedObject {
          view.toOnes[relationship.name] = try name(target)
        }
        continue
      }
      let members = try Self.objects(value).map(name)
      view.toManys[relationship.name] = relationship.isOrdered ? members : members.sorted()
    }
    return view
  }

  private func number(_ value: Any, _ attribute: AttributePlan) throws -> Int {
    if attribute.name == ModelPlan.serial, let number = value as? NSNumber {
      return number.intValue
    }
    if attribute.counted != nil, let number = value as? NSNumber { return number.intValue }
    guard let number = attribute.kind.number(of: value) else {
      throw Impossible("\(attribute.name) is \(value), which nobody set")
    }
    return number
  }

  static func objects(_ value: Any?) -> [NSManagedObject] {
    let members =
      (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects
      ?? (value as? Set<NSManagedObject>).map(Array.init) ?? []
    return members.compactMap { $0 as? NSManagedObject }
  }

  // MARK: Fetching

  func fetch(
    _ plan: FetchPlan, _ context: NSManagedObjectContext, _ c: Int
  ) throws -> Outcome {
    let predicate = try plan.condition.map { try self.predicate($0, c) }
    switch plan.result {
    case .count:
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: plan.entity)
      plan.configure(request, predicate)
      return .counted(try context.count(for: request))
    case .identities:
      let request = NSFetchRequest<NSManagedObjectID>(entityName: plan.entity)
      request.resultType = .managedObjectIDResultType
      plan.configure(request, predicate)
      return .found(
        try context.fetch(request).map { id in
          try name(of: id) ?? name(of: context.object(with: id), c)
        })
    case .objects:
      let request = NSFetchRequest<NSManagedObject>(entityName: plan.entity)
      plan.configure(request, predicate)
      let objects = try context.fetch(request)
      return .found(try names(of: objects, c))
    }
  }

  func predicate(_ condition: Condition, _ c: Int) throws -> NSPredicate {
    func constant(_ name: ObjectName, _ byIdentity: Bool) throws -> Any {
      let object = try object(name, c)
      return byIdentity ? object.objectID as Any : object
    }
    func value(_ key: String, _ number: Int) -> Any {
      if key == ModelPlan.serial { return AttributeKind.serial(number) }
      for entity in plan.entities {
        guard let found = entity.attributes.first(where: { $0.name == key }) else { continue }
        return found.kind.value(number)
      }
      return number
    }
    switch condition {
    case .attribute(let key, let comparison, let number?):
      return NSPredicate(
        format: "\(key) \(comparison.rawValue) %@", argumentArray: [value(key, number)])
    case .attribute(let key, let comparison, nil):
      return NSPredicate(format: "\(key) \(comparison.rawValue) nil")
    case .extreme(let key, let comparison, let isGreatest):
      return NSPredicate(
        format: "\(key) \(comparison.rawValue) \(isGreatest ? "max" : "min")(\(key))")
    case .oneOf(let key, let numbers):
      return NSPredicate(format: "\(key) IN %@", argumentArray: [numbers.map { value(key, $0) }])
    case .destination(let key, let name?, let byIdentity):
      return NSPredicate(format: "\(key) == %@", argumentArray: [try constant(name, byIdentity)])
    case .destination(let key, nil, _): return NSPredicate(format: "\(key) == nil")
    case .through(let relationship, let key, let comparison, let number):
      return NSPredicate(
        format: "\(relationship).\(key) \(comparison.rawValue) %@",
        argumentArray: [value(key, number)])
    case .anyMember(let key, let name, let byIdentity):
      return NSPredicate(
        format: "ANY \(key) == %@", argumentArray: [try constant(name, byIdentity)])
    case .anyMemberAttribute(let relationship, let key, let comparison, let number):
      return NSPredicate(
        format: "ANY \(relationship).\(key) \(comparison.rawValue) %@",
        argumentArray: [value(key, number)])
    case .memberCount(let key, let comparison, let count):
      return NSPredicate(
        format: "\(key).@count \(comparison.rawValue) %@", argumentArray: [NSNumber(value: count)])
    case .object(let name, let byIdentity):
      return NSPredicate(format: "SELF == %@", argumentArray: [try constant(name, byIdentity)])
    case .objects(let names, let byIdentity):
      return NSPredicate(
        format: "SELF IN %@", argumentArray: [try names.map { try constant($0, byIdentity) }])
    case .not(let condition):
      return NSCompoundPredicate(notPredicateWithSubpredicate: try predicate(condition, c))
    case .all(let conditions):
      return NSCompoundPredicate(
        andPredicateWithSubpredicates: try conditions.map { try predicate($0, c) })
    case .any(let conditions):
      return NSCompoundPredicate(
        orPredicateWithSubpredicates: try conditions.map { try predicate($0, c) })
    }
  }
}

extension FetchPlan {
  func configure<Result>(_ request: NSFetchRequest<Result>, _ predicate: NSPredicate?) {
    request.predicate = predicate
    request.includesSubentities = includesSubentities
    request.includesPendingChanges = includesPending
    request.fetchLimit = limit
    request.fetchOffset = offset
    if let batchSize { request.fetchBatchSize = batchSize }
    if let areFaults { request.returnsObjectsAsFaults = areFaults }
    if let prefetches { request.relationshipKeyPathsForPrefetching = prefetches }
    request.sortDescriptors = (sorts + [Sort(attribute: ModelPlan.serial)]).map {
      NSSortDescriptor(key: $0.attribute, ascending: $0.isAscending)
    }
  }
}
