import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Stores that are read and written as a whole, used through objects.
@Suite struct AtomicFileStoreTests {
  private let folder: TemporaryFolder
  private let url: URL
  private let model = AtomicFiles.model()

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Music.store")
  }

  private func context(
    _ type: String, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    try AtomicFiles.context(type, url, model, options: options)
  }

  private func coordinator(_ context: NSManagedObjectContext) throws -> NSPersistentStoreCoordinator
  {
    try #require(context.persistentStoreCoordinator)
  }

  private func store(_ context: NSManagedObjectContext) throws -> NSPersistentStore {
    try #require(context.persistentStoreCoordinator?.persistentStores.first)
  }

  private func names(_ value: Any?, _ key: String) -> [String] {
    ((value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? [])
      .compactMap { ($0 as? NSManagedObject)?.value(forKey: key) as? String }
  }

  /// The image that commands read is in a world-readable location.
  @Test(arguments: AtomicFiles.types) func nobodyElseReadsItsImage(type: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store")
    let model = AtomicFiles.model()
    let context = try AtomicFiles.context(type, url, model)
    _ = AtomicFiles.new("Tag", [:], context)
    try context.save()
    var image: SQLiteImage? = try SQLiteImage(of: url, model: model)
    let place = try #require(image?.url.deletingLastPathComponent().path)
    let mode = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o700)
    image = nil
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  /// The members of a relationship whose inverse leads back to another one: no row but the owner's says which they are.
  @Test(arguments: AtomicFiles.types) func oneSidedInversesComeBack(type: String) throws {
    func model() -> NSManagedObjectModel {
      let (album, song) = (entity("Album"), entity("Song"))
      let songs = relationship("songs", to: song, max: 0)
      let best = relationship("best", to: song, max: 1)
      let home = relationship("home", to: album, max: 1)
      link(best, home)
      songs.inverseRelationship = home
      album.properties = [songs, best]
      song.properties = [attribute("name", .stringAttributeType), home]
      return NSManagedObjectModel(of: [album, song])
    }
    let first = try AtomicFiles.context(type, url, model())
    let songs = ["a", "b"].map { AtomicFiles.new("Song", ["name": $0], first) }
    _ = AtomicFiles.new("Album", ["songs": NSSet(array: songs)], first)
    try first.save()
    let second = try AtomicFiles.context(type, url, model())
    let album = try #require(try AtomicFiles.all("Album", second).first)
    #expect(Set(names(album["songs"], "name")) == ["a", "b"])
  }

  /// An inverse that leads to another entity gets objects that can't be read back as its destination's: no store saves
  /// them.
  @Test(arguments: AtomicFiles.types + [NSSQLiteStoreType, NSInMemoryStoreType], [1, 0])
  func objectsOfOtherEntitiesAreRefused(type: String, count: Int) throws {
    func model() -> NSManagedObjectModel {
      let entities = ["Album", "Song", "Tag"].map { entity($0) }
      let best = relationship("best", to: entities[1], max: 1)
      let odd = relationship("odd", to: entities[2], max: count)
      (best.inverseRelationship, odd.inverseRelationship) = (odd, best)
      let label = attribute("label", .stringAttributeType)
      (entities[0].properties, entities[1].properties) = ([best], [odd])
      entities[2].properties = [label]
      return NSManagedObjectModel(of: entities)
    }
    // The keys of such a to-many relationship would be another relationship's.
    if type == NSSQLiteStoreType, count == 0 {
      #expect(throws: NSError.self) { try AtomicFiles.context(type, url, model()) }
      return
    }
    let context = try AtomicFiles.context(type, url, model())
    let song = AtomicFiles.new("Song", [:], context)
    let album = AtomicFiles.new("Album", ["best": song], context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectValidationError)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "odd")
    #expect(error?.localizedDescription.contains("'Album'") == true)
    album["best"] = nil
    try context.save()
    if type == NSInMemoryStoreType { return }
    #expect(try AtomicFiles.all("Album", AtomicFiles.context(type, url, model())).count == 1)
  }

  /// Observers are told that the objects have new IDs.
  @Test func copyingIsAChangeOfTheUUID() throws {
    let context = try context(NSXMLStoreType)
    let album = try AtomicFiles.fill(context)
    let (coordinator, old) = (try coordinator(context), try store(context))
    nonisolated(unsafe) var told: [[AnyHashable: Any]] = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
    ) { told.append($0.userInfo ?? [:]) }
    defer { NotificationCenter.default.removeObserver(observer) }
    let new = try coordinator.migratePersistentStore(
      old, to: folder.file("copy"), withType: NSBinaryStoreType)
    let change = told.compactMap { $0[NSUUIDChangedPersistentStoresKey] as? [Any] }
    #expect(told.count == 2 && change.count == 1)
    let parts = try #require(change.first)
    #expect(parts[0] as? NSPersistentStore === old && parts[1] as? NSPersistentStore === new)
    let ids = try #require(parts[2] as? [NSManagedObjectID])
    #expect(ids.count == 7 && !ids.contains(album.objectID))
    #expect(ids.allSatisfy { $0.persistentStore === new && !$0.isTemporaryID })
    #expect(told.last?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [old])
  }

  @Test(arguments: AtomicFiles.types) func numbersAtTheEdgeComeBack(type: String) throws {
    let first = try context(type)
    let (reals, wholes) = (
      [Double.nan, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude],
      [Int64.min, .max, -1, 0, 1, Int64(Int32.max) + 1]
    )
    for (index, real) in reals.enumerated() {
      _ = AtomicFiles.new(
        "Song",
        [
          "short": index, "length": real, "gain": Float(real), "long": wholes[index],
          "played": Date(timeIntervalSinceReferenceDate: real),
          "price": NSDecimalNumber(decimal: index == 0 ? .nan : .greatestFiniteMagnitude),
        ], first)
    }
    try first.save()
    for (index, song) in try AtomicFiles.all("Song", context(type), sortedBy: "short").enumerated()
    {
      let real = reals[index]
      func isSame(_ value: Any?) -> Bool { (value as? Double)?.bitPattern == real.bitPattern }
      #expect(real.isNaN ? (song["length"] as? Double)?.isNaN == true : isSame(song["length"]))
      #expect(
        real.isNaN ? (song["gain"] as? Float)?.isNaN == true : song["gain"] as? Float == Float(real)
      )
      let played = (song["played"] as? Date)?.timeIntervalSinceReferenceDate
      #expect(real.isNaN ? played?.isNaN == true : isSame(played))
      #expect(song["long"] as? Int64 == wholes[index])
      let price = (song["price"] as? NSDecimalNumber)?.decimalValue
      #expect(index == 0 ? price?.isNaN == true : price == .greatestFiniteMagnitude)
    }
  }

  @Test(arguments: AtomicFiles.types) func objectsComeBack(type: String) throws {
    let first = try context(type)
    let uri = try AtomicFiles.fill(first).objectID.uriRepresentation()
    let second = try context(type)
    let id = try #require(
      try coordinator(second).managedObjectID(forURIRepresentation: uri))
    let album = try second.existingObject(with: id)
    #expect(names(album["songs"], "name") == ["2", "0"])
    #expect(names(album["tags"], "label").sorted() == ["x", "y"])
    let albums = try AtomicFiles.all("Album", second, sortedBy: "title")
    #expect(albums.map { $0.entity.name } == ["Album", "Single"])
    #expect(albums[1]["side"] as? String == "B")
    let songs = try AtomicFiles.all("Song", second, sortedBy: "short")
    #expect(songs[1]["words"] as? [String] == ["la", "li"])
    #expect((songs[1]["place"] as? [String: Any])?["city"] as? String == "Ulm")
    #expect((songs[1]["place"] as? [String: Any])?["row"] as? Int == 3)
    #expect(songs[1]["album"] == nil)
    // Change, reorder, delete, add.
    album["songs"] = NSOrderedSet(array: [songs[1], songs[0], songs[2]])
    second.delete(songs[0])
    second.delete(albums[1])
    let tag = AtomicFiles.new("Tag", ["label": "z", "albums": NSSet(array: [album])], second)
    try second.save()
    let third = try context(type)
    let again = try third.existingObject(
      with: try #require(try coordinator(third).managedObjectID(forURIRepresentation: uri)))
    #expect(names(again["songs"], "name") == ["1", "2"])
    #expect(names(again["tags"], "label").sorted() == ["x", "y", "z"])
    #expect(try AtomicFiles.all("Album", third).count == 1)
    // Numbers aren't reused, even those of deleted objects.
    third.delete(
      try third.existingObject(
        with: try #require(
          try coordinator(third).managedObjectID(
            forURIRepresentation: tag.objectID.uriRepresentation()))))
    try third.save()
    let fourth = try context(type)
    let next = AtomicFiles.new("Tag", [:], fourth)
    try fourth.save()
    #expect(next.objectID.key > tag.objectID.key)
  }

  @Test(arguments: AtomicFiles.types) func whatIsNotTouchedIsNotWritten(type: String) throws {
    let first = try context(type)
    let album = try AtomicFiles.fill(first)
    let before = try #require(FileState(url))
    try first.save()
    let title = album["title"]
    album["title"] = "other"
    album["title"] = title
    try first.save()
    #expect(FileState(url) == before)
    album["title"] = "other"
    try first.save()
    #expect(FileState(url) != before)
  }

  @Test(arguments: AtomicFiles.types) func anEmptyStoreIsMadeByTheFirstSave(type: String) throws {
    let first = try context(type)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try first.save()
    #expect(try AtomicFiles.all("Song", try context(type)).isEmpty)
    #expect(
      try AtomicFiles.all(
        "Song", try context(type, options: [NSReadOnlyPersistentStoreOption: true])
      )
      .isEmpty)
    // An empty file counts as a new store too.
    try Data().write(to: url)
    try AtomicFiles.fill(try context(type))
    #expect(try AtomicFiles.all("Song", try context(type)).count == 3)
  }

  @Test(arguments: AtomicFiles.types) func readOnlyStoresAreNotWritten(type: String) throws {
    let options = [NSReadOnlyPersistentStoreOption: true]
    let missing = #expect(throws: NSError.self) { try context(type, options: options) }
    #expect(missing?.code == CocoaError.fileReadNoSuchFile.rawValue)
    try AtomicFiles.fill(try context(type))
    let bytes = try Data(contentsOf: url)
    let reading = try context(type, options: options)
    try coordinator(reading).setMetadata(["mine": 1], for: try store(reading))
    try reading.save()
    let song = try #require(try AtomicFiles.all("Song", reading).first)
    song["name"] = "changed"
    let error = #expect(throws: NSError.self) { try reading.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test(arguments: AtomicFiles.types) func metadataAreKept(type: String) throws {
    let first = try context(type)
    let store = try store(first)
    let mine: [String: Any] = [
      "text": "a<b>", "number": 7, "real": 1.5, "flag": true,
      "data": Data(repeating: 3, count: 100),
      "date": Date(timeIntervalSinceReferenceDate: 86400), "list": ["x", 1] as [Any],
      "empty": [String: Any](), "nested": ["a": ["b": Data([1])]],
    ]
    try coordinator(first).setMetadata(mine, for: store)
    try AtomicFiles.fill(first)
    func check(_ metadata: [String: Any]) {
      #expect(metadata["text"] as? String == "a<b>")
      #expect(metadata["number"] as? Int == 7)
      #expect(metadata["real"] as? Double == 1.5)
      #expect(metadata["flag"] as? Bool == true)
      #expect(metadata["data"] as? Data == Data(repeating: 3, count: 100))
      #expect(metadata["date"] as? Date == Date(timeIntervalSinceReferenceDate: 86400))
      #expect((metadata["list"] as? [Any])?.count == 2)
      #expect((metadata["nested"] as? [String: [String: Data]])?["a"]?["b"] == Data([1]))
      #expect(metadata[NSStoreTypeKey] as? String == type)
      #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
      #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }
    check(try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url))
    // The type is determined from the file.
    check(try NSPersistentStore.metadataForPersistentStore(with: url))
    check(try StoreTypes.ofFile(at: url).metadata(at: url, options: nil))
    let reader = try context(type)
    check(try self.store(reader).metadata)
    try NSPersistentStoreCoordinator.setMetadata(
      ["other": "b", NSStoreUUIDKey: "x"], forPersistentStoreOfType: type, at: url)
    let changed = try context(type)
    let present = try self.store(changed).metadata ?? [:]
    #expect(present["other"] as? String == "b")
    #expect(present["text"] == nil)
    #expect(present[NSStoreUUIDKey] as? String == store.identifier)
    #expect(try AtomicFiles.all("Song", changed).count == 3)
    // Metadata is saved without object changes too.
    try coordinator(changed).setMetadata(["third": "c"], for: try self.store(changed))
    try changed.save()
    let third = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
    #expect(third["third"] as? String == "c")
    #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.setMetadata(
        ["bad": NSObject()], forPersistentStoreOfType: type, at: url)
    }
  }

  @Test(arguments: AtomicFiles.types) func aFileOfSomebodyElseIsNotOverwritten(type: String) throws
  {
    let mine = try context(type)
    let album = try AtomicFiles.fill(mine)
    let theirs = try context(type)
    try #require(try AtomicFiles.all("Tag", theirs).first)["label"] = "theirs"
    try theirs.save()
    let bytes = try Data(contentsOf: url)
    album["title"] = "mine"
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(try Data(contentsOf: url) == bytes)
    #expect(album.hasChanges)
    // An identical copy counts as unchanged; a deleted file is created again.
    try FileManager.default.removeItem(at: url)
    try bytes.write(to: url)
    try #require(try AtomicFiles.all("Tag", theirs).first)["label"] = "again"
    try theirs.save()
    try FileManager.default.removeItem(at: url)
    try #require(try AtomicFiles.all("Tag", theirs).first)["label"] = "anew"
    try theirs.save()
    #expect(try AtomicFiles.all("Song", try context(type)).count == 3)
  }

  @Test(arguments: AtomicFiles.types) func aFailedSaveLeavesFileAndRows(type: String) throws {
    let context = try context(type)
    let album = try AtomicFiles.fill(context)
    let bytes = try Data(contentsOf: url)
    let song = try #require(try AtomicFiles.all("Song", context, sortedBy: "short").last)
    album["title"] = "changed"
    song["words"] = NSObject()
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Data(contentsOf: url) == bytes)
    let other = AtomicFiles.context(try coordinator(context))
    #expect(
      try AtomicFiles.all("Album", other, sortedBy: "title").first?["title"] as? String == "A")
    song["words"] = ["ok"]
    // The folder for the draft file is missing.
    let moved = folder.file("moved")
    try FileManager.default.createDirectory(at: moved, withIntermediateDirectories: false)
    #expect(
      try coordinator(context).setURL(
        moved.appendingPathComponent("none/x"), for: try store(context)))
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(album.hasChanges)
    #expect(try coordinator(context).setURL(url, for: try store(context)))
    try context.save()
    #expect(
      try AtomicFiles.all("Album", try self.context(type), sortedBy: "title").map {
        $0["title"] as? String
      }
        == ["S", "changed"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
  }

  /// Another process writes the file between the check of a save and its end.
  @Test(arguments: AtomicFiles.types, [false, true])
  func whatAnotherProcessWritesDuringASaveStays(type: String, isNew: Bool) throws {
    let context = try context(type)
    if !isNew { try AtomicFiles.fill(context) }
    let engine = try store(context).requireEngine()
    engine.metadata = engine.metadata.merging(["mine": 1]) { $1 }
    let save = try engine.prepare(StoreChanges())
    let other = Data("another process's".utf8)
    try other.write(to: url, options: .atomic)
    let error = #expect(throws: NSError.self) { try save.commit() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(try Data(contentsOf: url) == other)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
  }

  @Test(arguments: AtomicFiles.types) func unsupportedRequestsSaySo(type: String) throws {
    let context = try context(type)
    try AtomicFiles.fill(context)
    let requests: [NSPersistentStoreRequest] = [
      NSBatchInsertRequest(entityName: "Song", objects: [["name": "x"]]),
      NSBatchDeleteRequest(
        fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Song")),
      NSBatchUpdateRequest(entityName: "Song"),
    ]
    (requests[2] as? NSBatchUpdateRequest)?.propertiesToUpdate = ["name": "x"]
    for request in requests {
      let error = #expect(throws: NSError.self) { try context.execute(request) }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError, "\(request)")
    }
    let history = try context.execute(
      NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
    let transactions = (history as? NSPersistentHistoryResult)?.result as? [Any]
    #expect(transactions?.isEmpty == true)
    #expect(try AtomicFiles.all("Song", context).count == 3)
  }

  @Test(arguments: AtomicFiles.types) func constraintsAndDerivedAttributesAreRefused(
    type: String
  ) throws {
    for isDerived in [false, true] {
      let model = AtomicFiles.model()
      let tag = try #require(model.entitiesByName["Tag"])
      if isDerived {
        let derived = NSDerivedAttributeDescription()
        (derived.name, derived.attributeType, derived.isOptional) =
          ("copy", .stringAttributeType, true)
        derived.derivationExpression = NSExpression(format: "label")
        tag.properties.append(derived)
      } else {
        tag.uniquenessConstraints = [["label"]]
      }
      let error = #expect(throws: NSError.self) { try AtomicFiles.context(type, url, model) }
      #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
      #expect(error?.localizedDescription.contains("Tag") == true)
    }
  }

  @Test(arguments: AtomicFiles.types) func storesOfOtherModelsAndKindsAreRefused(
    type: String
  ) throws {
    try AtomicFiles.fill(try context(type))
    let bytes = try Data(contentsOf: url)
    let other = AtomicFiles.model()
    other.entitiesByName["Song"]?.properties.append(attribute("new", .stringAttributeType))
    let error = #expect(throws: NSError.self) { try AtomicFiles.context(type, url, other) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    for kind in [NSSQLiteStoreType] + AtomicFiles.types where kind != type {
      let error = #expect(throws: NSError.self) { try AtomicFiles.context(kind, url, model) }
      #expect(kind == NSSQLiteStoreType || error?.code == CocoaError.fileReadCorruptFile.rawValue)
    }
    #expect(try Data(contentsOf: url) == bytes)
    let sqlite = folder.file("s")
    _ = try AtomicFiles.context(NSSQLiteStoreType, sqlite, model)
    let wrong = #expect(throws: NSError.self) { try AtomicFiles.context(type, sqlite, model) }
    #expect(wrong?.localizedDescription.contains("SQLite") == true)
    for text in ["", "hello", "<plist/>", "bplist00", "<database>"] {
      let file = folder.file("odd")
      try text.write(to: file, atomically: true, encoding: .utf8)
      if text.isEmpty { continue }
      let error = #expect(throws: NSError.self) { try AtomicFiles.context(type, file, model) }
      #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue, "\(text)")
    }
    // If versions aren't checked, the store takes the model's.
    let ignoring = try AtomicFiles.context(
      type, url, other, options: [NSIgnorePersistentStoreVersioningOption: true])
    let song = try #require(try AtomicFiles.all("Song", ignoring).first)
    song["new"] = "n"
    try ignoring.save()
    #expect(try AtomicFiles.all("Song", try AtomicFiles.context(type, url, other)).count == 3)
  }

  @Test func everyTypeIsMovedIntoEveryOther() throws {
    let types = [NSSQLiteStoreType, NSInMemoryStoreType] + AtomicFiles.types
    for from in types {
      for to in types {
        let source = folder.file("\(from)-\(to)-a")
        let context = try AtomicFiles.context(
          from, from == NSInMemoryStoreType ? nil : source, model)
        let coordinator = try coordinator(context)
        try AtomicFiles.fill(context)
        let store = try store(context)
        coordinator.setMetadata(["mine": "m"], for: store)
        let target = folder.file("\(from)-\(to)-b")
        let moved = try coordinator.migratePersistentStore(store, to: target, withType: to)
        #expect(moved.type == to)
        #expect(coordinator.persistentStores == [moved])
        let reader =
          to == NSInMemoryStoreType
          ? AtomicFiles.context(coordinator) : try AtomicFiles.context(to, target, model)
        let album = try #require(
          try AtomicFiles.all("Album", reader, sortedBy: "title").first)
        #expect(names(album["songs"], "name") == ["2", "0"], "\(from) to \(to)")
        #expect(names(album["tags"], "label").sorted() == ["x", "y"])
        #expect(try AtomicFiles.all("Single", reader).count == 1)
        let songs = try AtomicFiles.all("Song", reader, sortedBy: "short")
        #expect(songs[1]["words"] as? [String] == ["la", "li"])
        #expect((songs[1]["place"] as? [String: Any])?["row"] as? Int == 3)
        if from == to, AtomicFiles.types.contains(to) {
          #expect(moved.identifier == store.identifier)
          let again = folder.file("\(from)-\(to)-a")
          #expect(throws: NSError.self) {
            try coordinator.migratePersistentStore(moved, to: again, withType: to)
          }
        }
      }
    }
  }

  @Test func theTypesAreKnown() {
    for type in AtomicFiles.types {
      #expect(NSPersistentStoreCoordinator.registeredStoreTypes[type] != nil)
    }
    #expect(NSPersistentStore.StoreType.xml.rawValue == NSXMLStoreType)
    #expect(NSPersistentStore.StoreType.binary.rawValue == NSBinaryStoreType)
  }

  @Test(arguments: AtomicFiles.types) func aConfigurationLeavesTheOthersObjects(type: String) throws
  {
    let model = AtomicFiles.model()
    let (song, tag) = (model.entitiesByName["Song"], model.entitiesByName["Tag"])
    model.setEntities(
      [song, tag, model.entitiesByName["Album"], model.entitiesByName["Single"]].compactMap { $0 },
      forConfigurationName: "All")
    model.setEntities([tag].compactMap { $0 }, forConfigurationName: "Tags")
    func open(_ configuration: String) throws -> NSManagedObjectContext {
      let coordinator = try TestStore.coordinator(
        model, at: url, type: type, configuration: configuration,
        options: [NSIgnorePersistentStoreVersioningOption: true])
      return AtomicFiles.context(coordinator)
    }
    try AtomicFiles.fill(try open("All"))
    let tags = try open("Tags")
    #expect(try AtomicFiles.all("Tag", tags).count == 2)
    _ = AtomicFiles.new("Tag", ["label": "z"], tags)
    try tags.save()
    let all = try open("All")
    #expect(try AtomicFiles.all("Tag", all).count == 3)
    #expect(try AtomicFiles.all("Song", all).count == 3)
    #expect(
      names(try AtomicFiles.all("Album", all, sortedBy: "title").first?["songs"], "name")
        == ["2", "0"])
  }

  /// The numbers of objects that have got permanent IDs and aren't saved aren't given again once the store has moved.
  @Test(arguments: AtomicFiles.types, [false, true])
  func aMoveKeepsReservedNumbers(type: String, isSavedBetween: Bool) throws {
    let folder = try TemporaryFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("a"))
    let context = Shelf.context(coordinator)
    Shelf.book("saved", context)
    try context.save()
    let reserved = Shelf.book("reserved", context)
    try context.obtainPermanentIDs(for: [reserved])
    try coordinator.migratePersistentStore(store, to: folder.file("b"), withType: type)
    if isSavedBetween { try context.save() }
    Shelf.book("new", context)
    try context.save()
    let reader = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    try reader.addPersistentStore(ofType: type, configurationName: nil, at: folder.file("b"))
    #expect(try Shelf.titles(Shelf.context(reader)) == ["new", "reserved", "saved"])
  }
}
