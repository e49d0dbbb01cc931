import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Opens stores of the types that are read and written as a whole.
enum AtomicFiles {
  /// The types.
  static let types = [NSXMLStoreType, NSBinaryStoreType]

  static func context(
    _ type: String, _ url: URL?, _ model: NSManagedObjectModel,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    let coordinator = try TestStore.coordinator(model, at: url, type: type, options: options)
    return context(coordinator)
  }

  static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    TestStore.context(coordinator)
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

  /// Albums have ordered songs and many tags; a Single is an Album. A song has an attribute of every type.
  static func model() -> NSManagedObjectModel {
    let (album, single, song, tag) = (
      entity("Album"), entity("Single"), entity("Song"), entity("Tag")
    )
    let songs = relationship("songs", to: song, max: 0, ordered: true)
    let home = relationship("album", to: album, max: 1)
    link(songs, home)
    let tags = relationship("tags", to: tag, max: 0)
    let tagged = relationship("albums", to: album, max: 0)
    link(tags, tagged)
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.isOptional = true
    place.elements = [
      attribute("city", .stringAttributeType),
      attribute("row", .integer16AttributeType),
    ]
    album.properties = [
      attribute("title", .stringAttributeType),
      attribute("year", .integer32AttributeType),
      songs, tags,
    ]
    single.properties = [attribute("side", .stringAttributeType)]
    album.subentities = [single]
    song.properties = [
      attribute("name", .stringAttributeType),
      attribute("short", .integer16AttributeType),
      attribute("long", .integer64AttributeType),
      attribute("isLoud", .booleanAttributeType),
      attribute("length", .doubleAttributeType),
      attribute("gain", .floatAttributeType),
      attribute("price", .decimalAttributeType),
      attribute("played", .dateAttributeType),
      attribute("cover", .binaryDataAttributeType),
      attribute("code", .UUIDAttributeType), attribute("link", .URIAttributeType),
      attribute("words", .transformableAttributeType), place, home,
    ]
    tag.properties = [attribute("label", .stringAttributeType), tagged]
    return NSManagedObjectModel(of: [album, single, song, tag])
  }

  /// Two albums, one of them a Single, three songs and two tags.
  @discardableResult static func fill(_ context: NSManagedObjectContext) throws -> NSManagedObject {
    let songs = (0..<3).map { new("Song", ["name": "\($0)", "short": $0], context) }
    let tags = ["x", "y"].map { new("Tag", ["label": $0], context) }
    let album = new(
      "Album",
      [
        "title": "A", "songs": NSOrderedSet(array: [songs[2], songs[0]]),
        "tags": NSSet(array: tags),
      ], context)
    _ = new(
      "Single", ["title": "S", "side": "B", "tags": NSSet(array: [tags[0]])], context)
    songs[1]["words"] = ["la", "li"]
    songs[1]["place"] = ["city": "Ulm", "row": 3] as [String: Any]
    try context.save()
    return album
  }
}
