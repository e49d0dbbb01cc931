import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import Synchronization
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Derived attributes maintained by triggers, and R-trees.
@Suite struct DerivedAttributeTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext
  private let store: URL

  /// Town ←→> Owner ←→> Item <<→> Tag, with derivations of every kind.
  private static func model() -> NSManagedObjectModel {
    func derived(
      _ name: String, _ type: NSAttributeType, _ format: String
    ) -> NSDerivedAttributeDescription {
      let attribute = NSDerivedAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      attribute.derivationExpression = NSExpression(format: format)
      return attribute
    }
    let (town, owner, item, tag) = (entity("Town"), entity("Owner"), entity("Item"), entity("Tag"))
    let owners = relationship("owners", to: owner, max: 0)
    let home = relationship("town", to: town, max: 1)
    link(owners, home)
    let items = relationship("items", to: item, max: 0)
    let keeper = relationship("owner", to: owner, max: 1)
    link(items, keeper)
    let tags = relationship("tags", to: tag, max: 0)
    let tagged = relationship("items", to: item, max: 0)
    link(tags, tagged)
    town.properties = [attribute("name", .stringAttributeType), owners]
    owner.properties = [
      attribute("name", .stringAttributeType), home, items,
      derived("folded", .stringAttributeType, "canonical:(name)"),
      derived("upper", .stringAttributeType, "uppercase:(name)"),
      derived("lower", .stringAttributeType, "lowercase:(name)"),
      derived("itemCount", .integer64AttributeType, "items.@count"),
      derived("total", .doubleAttributeType, "items.@sum.price"),
      derived("dearest", .doubleAttributeType, "max:(items.price)"),
      derived("cheapest", .doubleAttributeType, "items.@min.price"),
      derived("saved", .dateAttributeType, "now()"),
    ]
    let price = attribute("price", .doubleAttributeType)
    let weight = attribute("weight", .doubleAttributeType)
    item.properties = [
      price, weight, keeper, tags, derived("ownerName", .stringAttributeType, "owner.name"),
      derived("ownerFolded", .stringAttributeType, "canonical:(owner.name)"),
      derived("townName", .stringAttributeType, "owner.town.name"),
      derived("tagCount", .integer16AttributeType, "tags.@count"),
    ]
    item.indexes = [
      NSFetchIndexDescription(
        name: "byWeight",
        elements: [price, weight].map {
          NSFetchIndexElementDescription(property: $0, collationType: .rTree)
        })
    ]
    tag.properties = [tagged]
    return NSManagedObjectModel(of: [town, owner, item, tag])
  }

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("store.sqlite")
    context = TestStore.context(try Library.coordinator(store, Self.model()))
  }

  private func owner(_ name: String?, _ prices: [Double?]) -> NSManagedObject {
    let owner = Library.new("Owner", ["name": name], in: context)
    for price in prices { _ = Library.new("Item", ["price": price, "owner": owner], in: context) }
    return owner
  }

  /// The value in the file, which the object in memory must have too.
  private func value(_ key: String, of object: NSManagedObject) throws -> Any? {
    let inMemory = object.value(forKey: key).map { "\($0)" }
    context.refresh(object, mergeChanges: false)
    let stored = object.value(forKey: key)
    #expect(inMemory == stored.map { "\($0)" }, "\(key)")
    return stored
  }

  /// Nobody is told that an object was refreshed which the same save has deleted.
  @Test func whatIsDeletedIsNotRefreshed() throws {
    let owner = owner("a", [1, 2])
    try context.save()
    let refreshed = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { note in
      let objects = note.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject>
      refreshed.withLock { $0 += objects?.count ?? 0 }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let items = owner["items"] as? Set<NSManagedObject> ?? []
    for item in items { context.delete(item) }
    context.delete(owner)
    try context.save()
    #expect(refreshed.withLock { $0 } == 0)
  }

  /// Controllers follow values that a save derives.
  @Test func controllersFollowThem() throws {
    final class Silent: NSFetchedResultsControllerDelegate {}
    let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
    request.predicate = NSPredicate(format: "itemCount > 0")
    request.sortDescriptors = [NSSortDescriptor(key: "folded", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    let delegate = Silent()
    controller.delegate = delegate
    try controller.performFetch()
    for name in ["Bea", "Zoe", "Ada"] {
      let owner = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
      owner["name"] = name
      try context.save()
      let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
      item["owner"] = owner
      try context.save()
    }
    #expect(
      controller.fetchedObjects?.compactMap { $0["name"] as? String } == ["Ada", "Bea", "Zoe"])
    #expect(!context.hasChanges)
    withExtendedLifetime(delegate) {}
  }

  @Test func textsAreFolded() throws {
    let ada = owner("Ádá Bé", [])
    try context.save()
    #expect(try value("folded", of: ada) as? String == "ada be")
    #expect(try value("upper", of: ada) as? String == "ÁDÁ BÉ")
    ada["name"] = "Çe"
    try context.save()
    #expect(try value("folded", of: ada) as? String == "ce")
    #expect(try value("lower", of: ada) as? String == "çe")
    ada["name"] = nil
    try context.save()
    #expect(try value("folded", of: ada) == nil)
  }

  /// Merge policies choose between values of users; these are the store's.
  @Test(arguments: NSMergePolicyType.allCases.suffix(3).dropLast())
  func noPolicyOverwritesThem(policy: NSMergePolicyType) throws {
    let ada = owner("Ada", [1])
    try context.save()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let theirs = TestStore.context(coordinator)
    let item = try #require(try Library.all("Item", in: theirs).first)
    theirs.delete(item)
    try theirs.existingObject(with: ada.objectID).setValue("theirs", forKey: "name")
    try theirs.save()
    context.mergePolicy = NSMergePolicy(merge: policy)
    ada["name"] = "mine"
    try context.save()
    #expect(try value("itemCount", of: ada) as? Int == 0)
    #expect(try value("upper", of: ada) as? String == "MINE")
  }

  /// What a program sets by hand is the store's again after a save, whether or not a source has changed too.
  @Test(arguments: [false, true]) func whatAProgramSetsIsOverwritten(withSources: Bool) throws {
    let ada = owner("Ada", [1])
    try context.save()
    ada["folded"] = "by hand"
    ada["itemCount"] = 77
    ada["total"] = nil
    if withSources { ada["name"] = "Ádá" }
    try context.save()
    #expect(!context.hasChanges)
    #expect(try value("folded", of: ada) as? String == "ada")
    #expect(try value("itemCount", of: ada) as? Int == 1)
    #expect(try value("total", of: ada) as? Double == 1)
  }

  @Test func sumsAndExtremesFollow() throws {
    let (ada, bob) = (owner("Ada", [1, 2.5, nil]), owner("Bob", []))
    try context.save()
    #expect(try value("itemCount", of: ada) as? Int == 3)
    #expect(try value("total", of: ada) as? Double == 3.5)
    #expect(try value("dearest", of: ada) as? Double == 2.5)
    #expect(try value("total", of: bob) as? Double == 0)
    #expect(try value("dearest", of: bob) == nil)
    let items = try Library.all("Item", "owner == %@", [ada], in: context)
    let dear = try #require(items.first { $0["price"] as? Double == 2.5 })
    dear["owner"] = bob
    try context.save()
    #expect(try value("total", of: ada) as? Double == 1)
    #expect(try value("dearest", of: bob) as? Double == 2.5)
    #expect(try value("itemCount", of: bob) as? Int == 1)
    dear["price"] = 4
    try context.save()
    #expect(try value("cheapest", of: bob) as? Double == 4)
    context.delete(dear)
    try context.save()
    #expect(try value("total", of: bob) as? Double == 0)
    #expect(try value("cheapest", of: bob) == nil)
  }

  @Test func pathsAreFollowedFromEveryStep() throws {
    let (here, there) = (
      Library.new("Town", ["name": "Here"], in: context),
      Library.new("Town", ["name": "There"], in: context)
    )
    let ada = owner("Ada", [1])
    ada["town"] = here
    let item = try #require((ada["items"] as? NSSet)?.anyObject() as? NSManagedObject)
    try context.save()
    #expect(try value("townName", of: item) as? String == "Here")
    #expect(try value("ownerName", of: item) as? String == "Ada")
    ada["town"] = there
    ada["name"] = "Édith"
    try context.save()
    #expect(try value("townName", of: item) as? String == "There")
    #expect(try value("ownerFolded", of: item) as? String == "edith")
    there["name"] = "Nowhere"
    try context.save()
    #expect(try value("townName", of: item) as? String == "Nowhere")
    item["owner"] = nil
    try context.save()
    #expect(try value("townName", of: item) == nil)
    #expect(try value("ownerFolded", of: item) == nil)
  }

  @Test func countsOfManyToManysFollow() throws {
    let item = Library.new("Item", in: context)
    let tags = (0..<3).map { _ in Library.new("Tag", in: context) }
    item["tags"] = NSSet(array: tags)
    try context.save()
    #expect(try value("tagCount", of: item) as? Int == 3)
    item["tags"] = NSSet(object: tags[0])
    try context.save()
    #expect(try value("tagCount", of: item) as? Int == 1)
  }

  @Test func everySaveIsStamped() throws {
    let ada = owner("Ada", [])
    try context.save()
    let first = try #require(try value("saved", of: ada) as? Date)
    #expect(abs(first.timeIntervalSinceNow) < 60)
    Thread.sleep(forTimeInterval: 0.01)
    ada["name"] = "B"
    try context.save()
    let second = try #require(try value("saved", of: ada) as? Date)
    #expect(second > first)
  }

  @Test func batchesMoveThemToo() throws {
    let ada = owner("Ada", [1, 2])
    try context.save()
    let update = NSBatchUpdateRequest(entityName: "Item")
    update.propertiesToUpdate = ["price": NSExpression(format: "price * 10")]
    try context.execute(update)
    context.refreshAllObjects()
    #expect(ada["total"] as? Double == 30)
    try context.execute(
      NSBatchDeleteRequest(
        fetchRequest: {
          let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
          request.predicate = NSPredicate(format: "price == 20", argumentArray: [])
          return request
        }()))
    context.refreshAllObjects()
    #expect(ada["itemCount"] as? Int == 1)
    #expect(ada["dearest"] as? Double == 10)
  }

  @Test func rTreesFollowTheirRows() throws {
    let light = Library.new("Item", ["price": 1.0, "weight": 2.0], in: context)
    let heavy = Library.new("Item", ["price": 5.0, "weight": 90.0], in: context)
    _ = Library.new("Item", ["price": 5.0], in: context)
    try context.save()
    func keys(_ condition: String) throws -> [Int64] {
      let connection = try SQLiteConnection.reading(store)
      var keys: [Int64] = []
      try connection.withStatement(
        "SELECT Z_PK FROM Z_Item_byWeight WHERE \(condition) ORDER BY Z_PK"
      ) { row in
        while try row.step() { keys.append(row.integer(at: 0)) }
      }
      return keys
    }
    #expect(try keys("1") == [light.objectID.key, heavy.objectID.key])
    #expect(try keys("ZWEIGHT_MAX > 50") == [heavy.objectID.key])
    light["weight"] = 70.0
    context.delete(heavy)
    try context.save()
    #expect(try keys("ZWEIGHT_MAX > 50") == [light.objectID.key])
    #expect(try StoreChecker(store, model: Self.model()).findings().isEmpty)
  }

  /// Values of every type that a relationship's destination has are those of the store after a save.
  @Test func valuesOfOtherTypesAreDerived() throws {
    let types: [(String, NSAttributeType, Any)] = [
      ("id", .UUIDAttributeType, UUID()),
      ("site", .URIAttributeType, try #require(URL(string: "https://example.org/a?b=c"))),
      ("bytes", .binaryDataAttributeType, Data([0, 1, 2])),
      ("price", .decimalAttributeType, NSDecimalNumber(string: "1.25")),
      ("flag", .booleanAttributeType, true),
      ("time", .dateAttributeType, Date(timeIntervalSinceReferenceDate: 1.5)),
    ]
    let (owner, item) = (entity("Owner"), entity("Item"))
    let items = relationship("items", to: item, max: 0)
    let keeper = relationship("owner", to: owner, max: 1)
    link(items, keeper)
    owner.properties = types.map { attribute($0.0, $0.1) } + [items]
    item.properties =
      [keeper]
      + types.map { name, type, _ in
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: "owner.\(name)")
        return attribute
      }
    let model = NSManagedObjectModel()
    model.entities = [owner, item]
    let coordinator = try TestStore.coordinator(model, at: folder.file("types.sqlite"))
    let context = TestStore.context(coordinator)
    let person = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
    for (name, _, value) in types { person.setValue(value, forKey: name) }
    let thing = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
    thing["owner"] = person
    try context.save()
    let reader = TestStore.context(coordinator)
    let stored = try reader.existingObject(with: thing.objectID)
    for (name, _, value) in types {
      #expect(thing.value(forKey: name) as? NSObject == value as? NSObject, "\(name)")
      #expect(
        stored.value(forKey: name) as? NSObject == thing.value(forKey: name) as? NSObject, "\(name)"
      )
    }
    thing["owner"] = nil
    try context.save()
    for (name, _, _) in types { #expect(thing.value(forKey: name) == nil) }
  }

  /// The bytes that a save reports are decoded like a row's.
  @Test func transformedValuesAreDerived() throws {
    let same = NSDerivedAttributeDescription()
    (same.name, same.attributeType, same.isOptional) = ("same", .transformableAttributeType, true)
    same.derivationExpression = NSExpression(format: "words")
    let words = attribute("words", .transformableAttributeType)
    let model = NSManagedObjectModel(of: [entity("Note", [words, same])])
    let context = try TestStore.open(folder.file("notes.sqlite"), model)
    let note = Library.new("Note", ["words": ["a", "b"]], in: context)
    try context.save()
    #expect(note["same"] as? [String] == ["a", "b"])
    context.refresh(note, mergeChanges: false)
    #expect(note["same"] as? [String] == ["a", "b"])
  }
}
