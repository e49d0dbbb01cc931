import DataModels
import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import ManagedObjects

/// Metadata that programs set, and the entries that stores add.
@Suite struct StoreMetadataTests {
  private func written(_ url: URL) throws -> [String: Any] {
    try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
  }

  @Test func aSaveWithoutChangesWritesMetadata() throws {
    let folder = try TemporaryFolder()
    let (one, two) = (folder.file("one.sqlite"), folder.file("two.sqlite"))
    let coordinator = try Shelf.coordinator(one, two)
    let stores = coordinator.persistentStores
    let context = Shelf.context(coordinator)
    let uuid = stores[0].identifier
    coordinator.setMetadata(["Mine": "v", NSStoreUUIDKey: "another"], for: stores[0])
    #expect(coordinator.metadata(for: stores[0])["Mine"] as? String == "v")
    #expect(try written(one)["Mine"] == nil)
    try context.save()
    #expect(try written(one)["Mine"] as? String == "v")
    #expect(try written(one)[NSStoreUUIDKey] as? String == uuid)
    // Pending metadata of one store is written together with object changes in another.
    coordinator.setMetadata(["Mine": "w"], for: stores[1])
    Shelf.book("a", context, in: stores[0])
    try context.save()
    #expect(try written(two)["Mine"] as? String == "w")
    stores[1].metadata["Mine"] = "x"
    try context.save()
    #expect(try written(two)["Mine"] as? String == "x")
  }

  /// Foundation's numbers, which Linux casts to any of Swift's.
  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func numbersKeepTheirKinds(type: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    let store = try coordinator.addPersistentStore(
      type: NSPersistentStore.StoreType(rawValue: type), at: url)
    let numbers: [String: Any] = [
      "yes": NSNumber(value: true), "no": NSNumber(value: false), "one": NSNumber(value: 1),
      "byte": NSNumber(value: Int8(1)), "half": NSNumber(value: 0.5),
      "small": NSNumber(value: UInt64(9)), "swift": 7 as UInt16,
    ]
    coordinator.setMetadata(numbers, for: store)
    try Shelf.context(coordinator).save()
    let written = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
    #expect(written["yes"] as? Bool == true)
    #expect(written["no"] as? Bool == false)
    #expect(written["one"] as? Int == 1 && !(written["one"] is Bool))
    #expect(written["byte"] as? Int == 1)
    #expect(written["half"] as? Double == 0.5)
    #expect(written["small"] as? Int == 9)
    #expect(written["swift"] as? Int == 7)
  }

  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func largeIntegersComeBack(type: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    let store = try coordinator.addPersistentStore(
      type: NSPersistentStore.StoreType(rawValue: type), at: url)
    coordinator.setMetadata(
      ["large": NSNumber(value: UInt64.max), "swift": UInt64.max - 1], for: store)
    try Shelf.context(coordinator).save()
    let written = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
    #expect(written["large"] as? UInt64 == .max)
    #expect(written["swift"] as? UInt64 == UInt64.max - 1)
  }

  /// A new UUID is in the file after the next save, and URIs that contain it are found again.
  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func aNewIdentifierIsWritten(type: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store")
    func coordinator() throws -> NSPersistentStoreCoordinator {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
      try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
      return coordinator
    }
    let first = try coordinator()
    let store = first.persistentStores[0]
    let context = Shelf.context(first)
    let book = Shelf.book("a", context, in: store)
    try context.save()
    store.identifier = "ABC"
    #expect(store.metadata[NSStoreUUIDKey] as? String == "ABC")
    try context.save()
    let uri = book.objectID.uriRepresentation()
    #expect(uri.host == "ABC")
    let written = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
    #expect(written[NSStoreUUIDKey] as? String == "ABC")
    Shelf.book("b", context, in: store)
    try context.save()
    let second = try coordinator()
    let id = try #require(second.managedObjectID(forURIRepresentation: uri))
    #expect(try Shelf.context(second).existingObject(with: id)["title"] as? String == "a")
  }

  @Test func aReadOnlyStoreKeepsItsMetadata() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("one.sqlite")
    _ = try Shelf.coordinator(url)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    let store = try coordinator.addPersistentStore(
      type: .sqlite, at: url, options: [NSReadOnlyPersistentStoreOption: true])
    coordinator.setMetadata(["Mine": "v"], for: store)
    try Shelf.context(coordinator).save()
    #expect(try written(url)["Mine"] == nil)
  }

  @Test func aStoreInMemoryKnowsItsModel() throws {
    let model = Shelf.model()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: "Toys", at: nil)
    let metadata = coordinator.metadata(for: store)
    #expect(model.isConfiguration(withName: "Toys", compatibleWithStoreMetadata: metadata))
    #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(metadata[NSStoreModelVersionIdentifiersKey] != nil)
    coordinator.setMetadata(nil, for: store)
    #expect(coordinator.metadata(for: store)[NSStoreTypeKey] as? String == NSInMemoryStoreType)
    #expect(coordinator.metadata(for: store)[NSStoreUUIDKey] as? String == store.identifier)
  }

  /// Its own entries are set by no program, except that `identifier` changes its UUID.
  @Test func aStoreInMemoryKeepsItsOwnEntries() throws {
    let model = Shelf.model()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let uuid = store.identifier
    store.metadata = ["Mine": "v", NSStoreUUIDKey: "another"]
    let metadata = coordinator.metadata(for: store)
    #expect(metadata["Mine"] as? String == "v")
    #expect(metadata[NSStoreTypeKey] as? String == NSInMemoryStoreType)
    #expect(metadata[NSStoreUUIDKey] as? String == uuid)
    #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    store.metadata = nil
    #expect(coordinator.metadata(for: store)["Mine"] == nil)
    #expect(coordinator.metadata(for: store)[NSStoreUUIDKey] as? String == uuid)
    store.identifier = "ABC"
    #expect(store.identifier == "ABC")
    #expect(coordinator.metadata(for: store)[NSStoreUUIDKey] as? String == "ABC")
  }

  @Test func storesOtherThanSQLiteRefuseDerivedAttributes() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ClubModel.make())
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    #expect(coordinator.persistentStores.isEmpty)
  }
}

/// Stores that are opened regardless of their version.
extension StoreMetadataTests {
  private func grown() -> NSManagedObjectModel {
    let model = Shelf.model()
    let book = model.entitiesByName["Book"]
    book?.properties.append(attribute("price", .doubleAttributeType))
    return model
  }

  private var ignoring: [AnyHashable: Any] { [NSIgnorePersistentStoreVersioningOption: true] }

  @Test func missingColumnsReadAsNilAndArentWritten() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    do {
      let context = Shelf.context(try Shelf.coordinator(url))
      Shelf.book("a", context)
      try context.save()
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: grown())
    #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(type: .sqlite, at: url)
    }
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url, options: ignoring)
    let context = Shelf.context(coordinator)
    #expect(try Shelf.titles(context) == ["a"])
    let request = Shelf.request()
    request.predicate = NSPredicate(format: "price == nil AND title == 'a'")
    let book = try #require(try context.fetch(request).first)
    #expect(book["price"] == nil)
    #expect(store.isReadOnly)
    book["title"] = "b"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(
      error?.localizedDescription.contains("NSIgnorePersistentStoreVersioningOption") == true)
    try coordinator.remove(store)
    #expect(try Shelf.titles(at: url) == ["a"])
  }

  @Test func aSaveRecordsTheVersion() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    _ = try Shelf.coordinator(url)
    let model = Shelf.model()
    model.entitiesByName["Book"]?.versionHashModifier = "2"
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url, options: ignoring)
    let context = Shelf.context(coordinator)
    for title in ["a", "b"] {
      Shelf.book(title, context)
      try context.save()
    }
    try coordinator.remove(store)
    try coordinator.addPersistentStore(type: .sqlite, at: url)
    #expect(try Shelf.titles(context) == ["a", "b"])
  }

  /// Metadata that no save has written yet goes with a store that is moved.
  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func unsavedMetadataGoesWithAMove(type: String) throws {
    let folder = try TemporaryFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("a"))
    let context = Shelf.context(coordinator)
    Shelf.book("a", context)
    store.metadata["kept"] = "saved"
    try context.save()
    store.metadata["title"] = "Draft"
    let moved = try coordinator.migratePersistentStore(
      store, to: folder.file("b"), withType: type)
    #expect(moved.metadata["title"] as? String == "Draft")
    #expect(moved.metadata["kept"] as? String == "saved")
    try context.save()
    let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: type, at: folder.file("b"))
    #expect(read["title"] as? String == "Draft")
  }

  /// Lists that name a list twice, many times over, would take for ever to be read.
  @Test(.timeLimit(.minutes(1))) func sharingIsNotExpanded() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    _ = try Shelf.coordinator(url)
    var graph = PropertyListGraph()
    var node = graph.add(string: "lol")
    for _ in 0..<40 { node = graph.add(array: [node, node]) }
    graph.root = graph.add(dictionary: [graph.add(string: "a")], values: [node])
    let bytes = graph.binary().map { String(format: "%02x", $0) }.joined()
    try SQLiteConnection(writing: url, creation: .existing)
      .execute("UPDATE Z_METADATA SET Z_PLIST = x'\(bytes)'")
    let error = #expect(throws: NSError.self) { try written(url) }
    let text = error?.localizedDescription ?? ""
    #expect(text.contains("many times over"), "\(text)")
  }
}
