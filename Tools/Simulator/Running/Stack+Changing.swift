import MomKit

/// Changes objects in the different ways that programs use: the results must be the same.
extension Stack {
  func insert(
    _ name: ObjectName, _ entity: String, _ values: [String: Int],
    _ context: NSManagedObjectContext, _ c: Int
  ) throws {
    // `awakeFromInsert` runs when the object enters a context, so a class's own values would come too late.
    let insertsLate = program.customs?.insertsLate == true
    let comesLate =
      (name % 4 == 3 || insertsLate && name % 4 == 2) && plan.stamp(of: entity) == nil
    let staysOut = comesLate && insertsLate
    let place = comesLate ? nil : context
    let object: NSManagedObject
    if let description = model.entitiesByName[entity], name % 4 > 1 {
      object =
        if plan.stamp(of: entity) != nil {
          StampedObject(entity: description, insertInto: place)
        } else if program.customs?.handlers.isEmpty == false {
          HandlingObject(entity: description, insertInto: place)
        } else {
          NSManagedObject(entity: description, insertInto: place)
        }
    } else {
      object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }
    object.setValue(AttributeKind.serial(name), forKey: ModelPlan.serial)
    for (key, number) in values.sorted(by: { $0.key < $1.key }) {
      object.setValue(plan.attribute(key, of: entity)?.kind.value(number), forKey: key)
    }
    if staysOut {
      late[c, default: []].append(object)
    } else if comesLate {
      context.insert(object)
    }
    hold(object, name, c)
    identities[name] = object.objectID
  }

  /// Inserts the first of the objects that aren't in their context yet. Those that are related to it stay out.
  func insertLate(_ context: NSManagedObjectContext, _ c: Int) {
    guard let object = late[c]?.first else { return }
    late[c]?.removeFirst()
    if object.managedObjectContext == nil { context.insert(object) }
  }

  /// Sets an attribute.
  func set(_ value: Any?, _ key: String, of object: NSManagedObject, way: Int) {
    guard way % 3 == 0 else { return object.setValue(value, forKey: key) }
    // Like a custom accessor.
    object.willChangeValue(forKey: key)
    object.setPrimitiveValue(value, forKey: key)
    object.didChangeValue(forKey: key)
  }

  /// Adds a member to a relationship.
  func add(_ member: NSManagedObject, to object: NSManagedObject, _ key: String, way: Int) {
    let isOrdered = plan.relationship(key)?.isOrdered == true
    switch way % 4 {
    case 0 where isOrdered: object.mutableOrderedSetValue(forKey: key).add(member)
    case 0: object.mutableSetValue(forKey: key).add(member)
    case 1 where isOrdered || !object.hasFault(forRelationshipNamed: key):
      let members = Self.objects(object.value(forKey: key))
      // Sets all members, which counts as a change even if they are the same.
      guard !members.contains(where: { $0 === member }) else { return }
      setMembers(members + [member], of: object, key) {
        object.addObject(member, toRelationshipNamed: key)
      }
    default: object.addObject(member, toRelationshipNamed: key)
    }
  }

  /// Takes a member out of a relationship.
  func remove(_ member: NSManagedObject, from object: NSManagedObject, _ key: String, way: Int) {
    let isOrdered = plan.relationship(key)?.isOrdered == true
    switch way % 4 {
    case 0 where isOrdered && !object.hasFault(forRelationshipNamed: key):
      object.mutableOrderedSetValue(forKey: key).remove(member)
    case 0 where !isOrdered: object.mutableSetValue(forKey: key).remove(member)
    case 1 where !object.hasFault(forRelationshipNamed: key):
      let members = Self.objects(object.value(forKey: key)).filter { $0 !== member }
      setMembers(members, of: object, key) {
        object.removeObject(member, fromRelationshipNamed: key)
      }
    default: object.removeObject(member, fromRelationshipNamed: key)
    }
  }

  /// Sets all members of a relationship, or else changes it otherwise: objects of no context, which a relationship
  /// without inverse may still have, can't be set.
  private func setMembers(
    _ members: [NSManagedObject], of object: NSManagedObject, _ key: String,
    else change: () -> Void
  ) {
    guard members.allSatisfy({ $0.managedObjectContext === object.managedObjectContext }) else {
      return change()
    }
    let isOrdered = plan.relationship(key)?.isOrdered == true
    object.setValue(isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: key)
  }
}
