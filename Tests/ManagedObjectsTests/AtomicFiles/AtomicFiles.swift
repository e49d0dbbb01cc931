import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Opening stores of the types that are read and written as a whole.
enum AtomicFiles {
  /// The types.
  static let types = [NSXMLStoreType, NSBinaryStoreType]

  static func context(
    _ type: String, _ url: URL?, _ model: NSManagedObjectModel,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url, options: options)
    return context(coordinator)
  }

  static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  static func all(
    _ entity: String, _ context: NSManagedObjectContext, sortedBy key: String? = nil
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
    return try context.fetch(request)
  }

  static func new(
    _ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (name, value) in values { object.setValue(value, forKey: name) }
    return object
  }

  /// Albums have songs in an order, and many tags; a Single is an Album. A song has an attribute of every type.
  static func model() -> NSManagedObjectModel {
    func entity(_ name: String) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    let (album, single, song, tag) = (
      entity("Album"), entity("Single"), entity("Song"), entity("Tag")
    )
    let songs = Library.relationship("songs", to: song, max: 0, ordered: true)
    let home = Library.relationship("album", to: album, max: 1)
    Library.link(songs, home)
    let tags = Library.relationship("tags", to: tag, max: 0)
    let tagged = Library.relationship("albums", to: album, max: 0)
    Library.link(tags, tagged)
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.isOptional = true
    place.elements = [
      Library.attribute("city", .stringAttributeType),
      Library.attribute("row", .integer16AttributeType),
    ]
    album.properties = [
      Library.attribute("title", .stringAttributeType),
      Library.attribute("year", .integer32AttributeType),
      songs, tags,
    ]
    single.properties = [Library.attribute("side", .stringAttributeType)]
    album.subentities = [single]
    song.properties = [
      Library.attribute("name", .stringAttributeType),
      Library.attribute("short", .integer16AttributeType),
      Library.attribute("long", .integer64AttributeType),
      Library.attribute("isLoud", .booleanAttributeType),
      Library.attribute("length", .doubleAttributeType),
      Library.attribute("gain", .floatAttributeType),
      Library.attribute("price", .decimalAttributeType),
      Library.attribute("played", .dateAttributeType),
      Library.attribute("cover", .binaryDataAttributeType),
      Library.attribute("code", .UUIDAttributeType), Library.attribute("link", .URIAttributeType),
      Library.attribute("words", .transformableAttributeType), place, home,
    ]
    tag.properties = [Library.attribute("label", .stringAttributeType), tagged]
    let model = NSManagedObjectModel()
    model.entities = [album, single, song, tag]
    return model
  }
}
