import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Stores whose configurations list subentities without their parent.
@Suite struct SubentityConfigurationTests {
  static let types = [
    NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType,
  ]
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// An abstract `Document` above `Text`, above `Draft` and `Letter`; and `Picture` beside `Text`.
  private func coordinator(_ places: [(String, String)]) throws -> NSPersistentStoreCoordinator {
    let document = SmallModel.entity("Document", [SmallModel.text("name")])
    document.isAbstract = true
    let (text, picture) = (SmallModel.entity("Text", []), SmallModel.entity("Picture", []))
    let (draft, letter) = (SmallModel.entity("Draft", []), SmallModel.entity("Letter", []))
    document.subentities = [text, picture]
    text.subentities = [draft, letter]
    let model = SmallModel.model(document, text, draft, letter, picture)
    model.setEntities([draft], forConfigurationName: "Drafts")
    model.setEntities([letter, picture], forConfigurationName: "Letters")
    model.setEntities([document, text], forConfigurationName: "Texts")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    for (configuration, type) in places {
      try coordinator.addPersistentStore(
        ofType: type, configurationName: configuration, at: folder.file(configuration))
    }
    return coordinator
  }

  private func names(
    _ entity: String, _ context: NSManagedObjectContext, _ format: String = "TRUEPREDICATE"
  ) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: format)
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request).compactMap { $0["name"] as? String }
  }

  @Test(arguments: types) func aFetchOfTheParentFindsThem(type: String) throws {
    let coordinator = try coordinator([("Drafts", type)])
    let context = SmallModel.context(coordinator)
    SmallModel.new("Draft", ["name": "a"], in: context)
    #expect(try names("Document", context) == ["a"])
    try context.save()
    for reader in [context, SmallModel.context(coordinator)] {
      for entity in ["Document", "Text", "Draft"] {
        #expect(try names(entity, reader) == ["a"])
        #expect(try names(entity, reader, "name == 'a'") == ["a"])
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        #expect(try reader.count(for: request) == 1)
        request.includesSubentities = false
        #expect(try reader.count(for: request) == (entity == "Draft" ? 1 : 0))
      }
      #expect(try names("Picture", reader) == [])
    }
  }

  @Test(arguments: types) func allTheirStoresAreAsked(type: String) throws {
    let coordinator = try coordinator([("Drafts", NSSQLiteStoreType), ("Letters", type)])
    let context = SmallModel.context(coordinator)
    for (entity, name) in [("Draft", "d"), ("Letter", "l"), ("Picture", "p")] {
      SmallModel.new(entity, ["name": name], in: context)
    }
    try context.save()
    let reader = SmallModel.context(coordinator)
    #expect(try names("Document", reader) == ["d", "l", "p"])
    #expect(try names("Text", reader) == ["d", "l"])
    let rows = NSFetchRequest<NSDictionary>(entityName: "Text")
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["name"]
    #expect(Set(try reader.fetch(rows).compactMap { $0["name"] as? String }) == ["d", "l"])
  }

  /// A store that has only subentities, and can't take a batch, hinders none of their parent's.
  @Test(arguments: [NSInMemoryStoreType, NSXMLStoreType])
  func othersTakeBatches(type: String) throws {
    let coordinator = try coordinator([("Texts", NSSQLiteStoreType), ("Letters", type)])
    let context = SmallModel.context(coordinator)
    for (entity, name) in [("Text", "t"), ("Letter", "l")] {
      SmallModel.new(entity, ["name": name], in: context)
    }
    try context.save()
    let batch = NSBatchDeleteRequest(
      fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Text"))
    try context.execute(batch)
    #expect(try names("Text", SmallModel.context(coordinator)) == ["l"])
    batch.affectedStores = coordinator.persistentStores
    #expect(throws: NSError.self) { try context.execute(batch) }
  }

  @Test func batchesReachThem() throws {
    let coordinator = try coordinator([
      ("Drafts", NSSQLiteStoreType), ("Letters", NSSQLiteStoreType),
    ])
    let context = SmallModel.context(coordinator)
    for (entity, name) in [("Draft", "d"), ("Letter", "l"), ("Picture", "p")] {
      SmallModel.new(entity, ["name": name], in: context)
    }
    try context.save()
    let update = NSBatchUpdateRequest(entityName: "Text")
    update.propertiesToUpdate = ["name": "text"]
    update.resultType = .updatedObjectsCountResultType
    #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 2)
    #expect(try names("Document", SmallModel.context(coordinator)) == ["p", "text", "text"])
    // Nothing is of exactly that entity, and no store has room for it.
    update.includesSubentities = false
    #expect(throws: NSError.self) { try context.execute(update) }
    let delete = NSBatchDeleteRequest(
      fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Document"))
    delete.resultType = .resultTypeCount
    #expect((try context.execute(delete) as? NSBatchDeleteResult)?.result as? Int == 3)
    #expect(try names("Document", SmallModel.context(coordinator)) == [])
  }

  /// New objects go to stores that list their entity itself.
  @Test func insertionsAreAsStrictAsEver() throws {
    let context = SmallModel.context(try coordinator([("Drafts", NSSQLiteStoreType)]))
    SmallModel.new("Text", ["name": "t"], in: context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreOperationError)
  }
}
