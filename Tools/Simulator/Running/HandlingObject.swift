import MomKit

/// Objects whose class changes the graph when they are told of something, as programs' classes do.
///
/// What they do depends on nothing but their entity, their serial numbers and what they are related to.
final class HandlingObject: NSManagedObject {
  /// The key in an entity's user info for the names of the handlers.
  static let handlersKey = "handlers"
  /// The key for the name of an attribute, and of its kind.
  static let attributeKey = "attribute"
  /// The serial numbers of the objects that handlers make begin here: programs have fewer objects. Several may have one.
  private static let firstMade = 10_000

  private var savesHandled = 0
  private var isDone = false

  private func handles(_ handler: Customs.Handler) -> Bool {
    let names = entity.userInfo?[Self.handlersKey] as? String
    return names?.split(separator: ",").contains { $0 == handler.rawValue } ?? false
  }

  private var serial: Int { (value(forKey: ModelPlan.serial) as? NSNumber)?.intValue ?? 0 }

  // MARK: What they are told

  override func awakeFromInsert() {
    super.awakeFromInsert()
    // What such an object makes is of another entity, which makes no more.
    guard handles(.relatesWhenInserted), let key = relationships.first,
      let destination = entity.relationshipsByName[key]?.destinationEntity, !destination.isAbstract,
      (destination.name ?? "") > (entity.name ?? "")
    else { return }
    relate(key)
  }

  override func prepareForDeletion() {
    super.prepareForDeletion()
    guard !isDone else { return }
    isDone = true
    if handles(.deletesBeforeDeletion), let other = destinations.first, other !== self {
      managedObjectContext?.delete(other)
    }
    guard handles(.endsBeforeDeletion) else { return }
    for key in relationships {
      if let members = entity.relationshipsByName[key], members.isToMany {
        setValue(members.isOrdered ? NSOrderedSet() : NSSet(), forKey: key)
      } else {
        setValue(nil, forKey: key)
      }
    }
  }

  override func willSave() {
    super.willSave()
    guard !isDeleted, savesHandled < 3, hasPersistentChangedValues || isInserted else { return }
    savesHandled += 1
    if handles(.addsBeforeSaving), savesHandled == 1, let key = relationships.last { relate(key) }
    if handles(.movesBeforeSaving), let key = relationships.first(where: { !isToMany($0) }) {
      setValue(serial % 2 == 0 ? nil : others(than: value(forKey: key), for: key), forKey: key)
    }
    if handles(.deletesBeforeSaving), serial % 3 == 0, let other = destinations.last,
      other !== self
    {
      managedObjectContext?.delete(other)
    }
  }

  override func didSave() {
    super.didSave()
    guard handles(.changesAfterSaving), !isDeleted, managedObjectContext != nil,
      let key = entity.userInfo?[Self.attributeKey] as? String,
      let kind = (entity.userInfo?[key] as? String).flatMap(AttributeKind.init)
    else { return }
    setValue(kind.value(serial % kind.valueCount), forKey: key)
  }

  // MARK: What they do

  private var relationships: [String] { entity.relationshipsByName.keys.sorted() }

  private func isToMany(_ key: String) -> Bool { entity.relationshipsByName[key]?.isToMany == true }

  /// What the object leads to, in the order of serial numbers: those that have one of their own, or the order would be
  /// another one each time.
  private var destinations: [NSManagedObject] {
    let all = relationships.flatMap { key in
      let value = value(forKey: key)
      return isToMany(key) ? Stack.objects(value) : [value as? NSManagedObject].compactMap { $0 }
    }
    return all.filter {
      !$0.isDeleted && $0.managedObjectContext === managedObjectContext && Self.isNamed($0)
    }.sorted { Self.serial($0) < Self.serial($1) }
  }

  private static func serial(_ object: NSManagedObject) -> Int {
    (object.value(forKey: ModelPlan.serial) as? NSNumber)?.intValue ?? 0
  }

  /// Whether the program has made an object, and not a handler.
  private static func isNamed(_ object: NSManagedObject) -> Bool {
    (1..<firstMade).contains(serial(object))
  }

  /// Makes a new object of a relationship's destination, and leads there.
  private func relate(_ key: String) {
    guard let context = managedObjectContext,
      let destination = entity.relationshipsByName[key]?.destinationEntity, !destination.isAbstract
    else { return }
    let other = NSManagedObject(entity: destination, insertInto: context)
    other.setValue(AttributeKind.serial(Self.firstMade + serial), forKey: ModelPlan.serial)
    if isToMany(key) {
      let isOrdered = entity.relationshipsByName[key]?.isOrdered == true
      if isOrdered {
        mutableOrderedSetValue(forKey: key).add(other)
      } else {
        mutableSetValue(forKey: key).add(other)
      }
    } else {
      setValue(other, forKey: key)
    }
  }

  /// The first other object of the context that a relationship may lead to.
  private func others(than present: Any?, for key: String) -> NSManagedObject? {
    guard let context = managedObjectContext,
      let destination = entity.relationshipsByName[key]?.destinationEntity
    else { return nil }
    return context.registeredObjects.filter {
      $0 !== present as AnyObject? && $0.entity.isKindOf(entity: destination) && !$0.isFault
        && !$0.isDeleted && Self.isNamed($0)
    }.min { Self.serial($0) < Self.serial($1) }
  }
}
