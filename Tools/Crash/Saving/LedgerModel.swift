import MomKit

/// The data that children write: a ledger that counts its steps, and entries with values of all sizes.
enum LedgerModel {
  static func make() -> NSManagedObjectModel {
    let (ledger, entry, tag) = (
      NSEntityDescription(), NSEntityDescription(), NSEntityDescription()
    )
    (ledger.name, entry.name, tag.name) = ("Ledger", "Entry", "Tag")
    let (entries, owner) = (relationship("entries", entry, 0), relationship("ledger", ledger, 1))
    let (tags, tagged) = (relationship("tags", tag, 0), relationship("entries", entry, 0))
    (entries.inverseRelationship, owner.inverseRelationship) = (owner, entries)
    (tags.inverseRelationship, tagged.inverseRelationship) = (tagged, tags)
    let payload = attribute("payload", .binaryDataAttributeType)
    payload.allowsExternalBinaryDataStorage = true
    ledger.properties = [attribute("step", .integer64AttributeType), entries]
    entry.properties = [
      attribute("number", .integer64AttributeType), attribute("text", .stringAttributeType),
      payload, owner, tags,
    ]
    entry.uniquenessConstraints = [["number"]]
    tag.properties = [attribute("number", .integer64AttributeType), tagged]
    let model = NSManagedObjectModel()
    model.entities = [ledger, entry, tag]
    return model
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }

  private static func relationship(
    _ name: String, _ destination: NSEntityDescription, _ count: Int
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = count
    return relationship
  }

  /// Returns a context for a store, which is created if it doesn't exist.
  static func open(
    _ store: URL, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: make())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: options)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Returns the only ledger, or nil before the first save.
  static func ledger(_ context: NSManagedObjectContext) throws -> NSManagedObject? {
    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Ledger")).first
  }

  static func object(
    _ entity: String, _ number: Int, _ context: NSManagedObjectContext
  ) throws -> NSManagedObject? {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: "number == %d", number)
    return try context.fetch(request).first
  }
}
