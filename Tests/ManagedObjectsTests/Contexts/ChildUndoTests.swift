import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Deletions that a child saves into its parent, and takes back later.
@Suite struct ChildUndoTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext

  private init(_ type: String) throws {
    folder = try TemporaryFolder()
    let items = SmallModel.relationship("items", many: true, ordered: true)
    let owner = SmallModel.relationship("owner")
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: list), (owner, of: item))
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: SmallModel.model(list, item))
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("a"), options: nil)
    parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    child.performAndWait {
      child.undoManager = UndoManager()
      child.undoManager?.groupsByEvent = false
    }
  }

  init() throws { try self.init(NSSQLiteStoreType) }

  enum Between: CaseIterable { case nothing, save, rollback, reset, refresh }

  private func doBetween(_ between: Between) throws {
    try parent.performAndWait {
      switch between {
      case .nothing: break
      case .save: try parent.save()
      case .rollback: parent.rollback()
      case .reset: parent.reset()
      case .refresh: parent.refreshAllObjects()
      }
    }
  }

  /// The names of the lists with their items', as another program reads them.
  private func stored() throws -> [String] {
    let reader = SmallModel.context(coordinator)
    return try SmallModel.all("List", reader).map { list in
      let items = SmallModel.names(list, "items")
      let owned = try SmallModel.all("Item", reader).filter {
        $0["owner"] as? NSManagedObject === list
      }
      return "\(list["name"] ?? ""): \(items) \(owned.compactMap { $0["name"] as? String })"
    }
  }

  @Test(
    arguments: [NSSQLiteStoreType, NSXMLStoreType, NSInMemoryStoreType], Between.allCases)
  func aDeletionIsTakenBack(type: String, between: Between) throws {
    let trial = try Self(type)
    let (parent, child) = (trial.parent, trial.child)
    let id = try parent.performAndWait {
      let list = SmallModel.new("List", ["name": "l"], in: parent)
      SmallModel.new("Item", ["name": "i"], in: parent)["owner"] = list
      try parent.save()
      return list.objectID
    }
    try child.performAndWait {
      child.delete(try child.existingObject(with: id))
      try child.save()
    }
    try trial.doBetween(between)
    try child.performAndWait {
      child.undo()
      try child.save()
    }
    try parent.performAndWait { try parent.save() }
    #expect(try trial.stored() == [#"l: ["i"] ["i"]"#])
    try child.performAndWait {
      try child.existingObject(with: id)["name"] = "later"
      try child.save()
    }
    try parent.performAndWait { try parent.save() }
    #expect(try trial.stored() == [#"later: ["i"] ["i"]"#])
    if type == NSSQLiteStoreType {
      #expect(try StoreCheck.findings(at: trial.folder.file("a")) == [])
    }
  }

  /// The same of an object that the child itself inserted, and which it knows by its temporary ID.
  @Test(arguments: [false, true], [false, true])
  func anObjectOfTheChildsComesBack(isSavedBetween: Bool, isRefreshed: Bool) throws {
    let object = try child.performAndWait {
      let object = SmallModel.new("Item", ["name": "a"], in: child)
      try child.save()
      return object
    }
    try parent.performAndWait { try parent.save() }
    try child.performAndWait {
      child.delete(object)
      child.processPendingChanges()
      try child.save()
    }
    if isSavedBetween { try parent.performAndWait { try parent.save() } }
    try child.performAndWait {
      child.undo()
      child.processPendingChanges()
      try child.save()
    }
    try parent.performAndWait { try parent.save() }
    try child.performAndWait {
      if isRefreshed { child.refresh(object, mergeChanges: true) }
      #expect(object["name"] as? String == "a")
      #expect(!object.isDeleted)
      object["name"] = "later"
      try child.save()
    }
    try parent.performAndWait { try parent.save() }
    let read = SmallModel.context(coordinator)
    #expect(try SmallModel.all("Item", read).map { $0["name"] as? String } == ["later"])
  }
}
