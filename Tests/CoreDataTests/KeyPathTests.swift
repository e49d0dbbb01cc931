import CoreData
import Foundation
import Testing

final class Shelf: NSManagedObject {
  @Managed var label: String?
  @Managed var books: Set<Volume>
}

final class Volume: NSManagedObject {
  var title: String? {
    get { managed("title") }
    set { setManaged(newValue, "title") }
  }
  var pages: Int64 {
    get { managed("pages") }
    set { setManaged(newValue, "pages") }
  }
  var printed: Date? { self["printed"] as? Date }
  @Managed var shelf: Shelf?
  @Managed("shelf") var place: Shelf
  @Managed var notes: NSSet
  var line: String { "\(title ?? "") \(pages)" }
  var mark = 1
  @Managed var isLent: Bool
  @Managed var isLost: Bool
  @Managed var price: Double
}

/// A computed value based on one key, which isn't that key.
extension Volume {
  var upper: String? { title?.uppercased() }
  var shown: String { title ?? "untitled" }
  var isThick: Bool { pages > 0 }
  var sheets: Int64 { pages / 2 }
  var distance: Int64 { abs(pages) }
  var cents: Int { Int(price * 100) }
  var isIn: Bool { !isLent }
  var isAway: Bool { isLent || isLost }
  var noteCount: Int { notes.count }
  var year: Date? { printed.map { $0.addingTimeInterval(60) } }
  /// Just another name.
  var heading: String? { title }
  var shelfLabel: String? { shelf?.label }
  var subtitle: String? {
    willAccessValue(forKey: "subtitle")
    defer { didAccessValue(forKey: "subtitle") }
    return primitiveValue(forKey: "subtitle") as? String
  }
}

@Suite struct KeyPathTests {
  private func context() throws -> NSManagedObjectContext {
    func attribute(_ name: String, _ type: NSAttributeDescription.AttributeType)
      -> NSAttributeDescription
    {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.type = type
      attribute.isOptional = true
      return attribute
    }
    let (shelf, volume) = (NSEntityDescription(), NSEntityDescription())
    (shelf.name, shelf.managedObjectClassName) = ("Shelf", "Shelf")
    (volume.name, volume.managedObjectClassName) = ("Volume", "Volume")
    let (up, down) = (NSRelationshipDescription(), NSRelationshipDescription())
    (up.name, up.destinationEntity, up.maxCount, up.inverseRelationship) = ("shelf", shelf, 1, down)
    (down.name, down.destinationEntity, down.inverseRelationship) = ("books", volume, up)
    shelf.properties = [attribute("label", .string), down]
    volume.properties = [
      attribute("title", .string), attribute("pages", .integer64), attribute("printed", .date), up,
    ]
    let model = NSManagedObjectModel()
    model.entities = [shelf, volume]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func `the key behind a key path is learned by reading it`() {
    #expect(KeyPathNames.name(of: \Volume.title) == "title")
    #expect(KeyPathNames.name(of: \Volume.pages) == "pages")
    #expect(KeyPathNames.name(of: \Volume.printed) == "printed")
    #expect(KeyPathNames.name(of: \Volume.notes) == "notes")
    #expect(KeyPathNames.name(of: \Volume.shelf) == "shelf")
    #expect(KeyPathNames.name(of: \Volume.shelf?.label) == "shelf.label")
    #expect(KeyPathNames.name(of: \Volume.place.label) == "shelf.label")
    #expect(KeyPathNames.name(of: \Shelf.books) == "books")
    #expect(KeyPathNames.name(of: \Volume.mark) == "mark")
    #expect(KeyPathNames.name(of: \Volume.line) == nil)
    #expect(KeyPathNames.name(of: \Volume.self) == nil)
    #expect((\Volume.shelf?.label as AnyKeyPath)._kvcKeyPathString == "shelf.label")
  }

  @Test func `what is computed of one key isn't that key`() {
    let paths: [AnyKeyPath] = [
      \Volume.upper, \Volume.shown, \Volume.isThick, \Volume.sheets, \Volume.distance,
      \Volume.cents, \Volume.isIn, \Volume.isAway, \Volume.noteCount, \Volume.year,
    ]
    for (number, path) in paths.enumerated() {
      #expect(KeyPathNames.name(of: path) == nil, "\(number)")
    }
  }

  @Test func `what gives a key's value under another name is that key`() {
    #expect(KeyPathNames.name(of: \Volume.heading) == "title")
    #expect(KeyPathNames.name(of: \Volume.heading!) == "title")
    #expect(KeyPathNames.name(of: \Volume.shelfLabel) == "shelf.label")
    #expect(KeyPathNames.name(of: \Volume.shelf?.books) == "shelf.books")
    #expect(KeyPathNames.name(of: \Volume.subtitle) == "subtitle")
    #expect(KeyPathNames.name(of: \Volume.isLent) == "isLent")
    #expect(KeyPathNames.name(of: \Volume.price) == "price")
  }

  @Test func `a sort by a key path is one by its key, with and without an optional value`() throws {
    #expect(NSSortDescriptor(keyPath: \Volume.title, ascending: true).key == "title")
    #expect(NSSortDescriptor(keyPath: \Volume.pages, ascending: false).key == "pages")
    #expect(NSSortDescriptor(keyPath: \Volume.shelf?.label, ascending: true).key == "shelf.label")
    let context = try context()
    try context.performAndWait {
      for (title, pages) in [("b", 2), (nil, 3), ("a", 1)] as [(String?, Int64)] {
        let volume = Volume(context: context)
        (volume.title, volume.pages) = (title, pages)
      }
      let request = NSFetchRequest<Volume>(entityName: "Volume")
      for saves in [false, true] {
        if saves { try context.save() }
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Volume.title, ascending: true)]
        #expect(try context.fetch(request).map(\.pages) == [3, 1, 2])
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Volume.pages, ascending: false)]
        #expect(try context.fetch(request).map(\.pages) == [3, 2, 1])
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Volume.line, ascending: true)]
        #expect(try context.fetch(request).map(\.pages) == [3, 1, 2])
      }
    }
  }

  /// Generic code, which knows no more of a type than that it can be fetched.
  private func ascending<Model: NSFetchRequestResult, Value>(
    _ keyPath: KeyPath<Model, Value?>
  ) -> NSSortDescriptor {
    NSSortDescriptor(keyPath: keyPath, ascending: true)
  }

  @Test func `a sort by a key path needs to know nothing of its root`() {
    #expect(ascending(\Volume.title).key == "title")
    let names = ["b", "a"].map { NSString(string: $0) }
    let byLength = NSSortDescriptor(keyPath: \NSString.pathComponents.last, ascending: true)
    #expect((names as NSArray).sortedArray(using: [byLength]) as? [String] == ["a", "b"])
  }

  @Test func `an expression of a key path is one of its keys`() {
    #expect(NSExpression(forKeyPath: \Volume.shelf?.label).keyPath == "shelf.label")
    #expect(NSExpression(forKeyPath: \Volume.pages).description == "pages")
  }
}
