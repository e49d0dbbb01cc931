import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// References to objects that had permanent IDs but were never saved.
@Suite struct UnusedIdentityTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let (r, many) = (
      SmallModel.relationship("r"), SmallModel.relationship("many", many: true)
    )
    let b = SmallModel.entity("B", [SmallModel.text("name")], unique: [["name"]])
    (r.destinationEntity, many.destinationEntity) = (b, b)
    coordinator = try SmallModel.coordinator(
      SmallModel.model(SmallModel.entity("A", [SmallModel.text("name"), r, many]), b),
      folder.file("a.sqlite"))
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  private func expectDangling(_ context: NSManagedObjectContext) {
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectValidationError)
  }

  /// An unsaved object of another context, which has got its permanent ID since it was named here.
  @Test func anothersUnsavedObjectIsRefused() throws {
    let (r, many) = (
      SmallModel.relationship("r"), SmallModel.relationship("many", many: true)
    )
    let node = SmallModel.entity("Node", [SmallModel.text("name"), r, many])
    SmallModel.link((r, of: node), (many, of: node))
    let nodes = try SmallModel.coordinator(SmallModel.model(node), folder.file("nodes.sqlite"))
    let (mine, theirs) = (SmallModel.context(nodes), SmallModel.context(nodes))
    let unsaved = SmallModel.new("Node", ["name": "a"], in: theirs)
    let seen = mine.object(with: unsaved.objectID)
    #expect(seen["name"] == nil)
    try theirs.obtainPermanentIDs(for: [unsaved])
    let new = SmallModel.new("Node", ["name": "b"], in: mine)
    seen["many"] = NSSet(object: new)
    expectDangling(mine)
    #expect(try SmallModel.all("Node", SmallModel.context(nodes)).isEmpty)
  }

  enum End: CaseIterable { case deletion, refreshing, undo }

  @Test(arguments: End.allCases, [false, true])
  func areRefused(end: End, isMany: Bool) throws {
    try context.performAndWait {
      let manager = UndoManager()
      manager.groupsByEvent = false
      if end == .undo { context.undoManager = manager }
      let b = SmallModel.new("B", in: context)
      context.processPendingChanges()
      try context.obtainPermanentIDs(for: [b])
      let id = b.objectID
      switch end {
      case .deletion: break
      case .refreshing: context.refresh(b, mergeChanges: false)
      case .undo:
        context.undo()
        context.undoManager = nil
        #expect(b.managedObjectContext == nil)
      }
      let a = SmallModel.new("A", ["name": "a"], in: context)
      let target = context.object(with: id)
      if isMany { a.addObject(target, toRelationshipNamed: "many") } else { a["r"] = target }
      if end == .deletion { context.delete(b) }
      expectDangling(context)
      // Again: an error changes nothing.
      expectDangling(context)
      a.setValue(nil, forKey: isMany ? "many" : "r")
      try context.save()
      #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
    }
  }

  @Test func afterAFailedSaveToo() throws {
    try context.performAndWait {
      let a = SmallModel.new("A", ["name": "a"], in: context)
      let b = SmallModel.new("B", ["name": "b"], in: context)
      a["r"] = b
      let other = SmallModel.context(coordinator)
      SmallModel.new("B", ["name": "b"], in: other)
      try other.save()
      #expect(throws: NSError.self) { try context.save() }
      #expect(!b.objectID.isTemporaryID)
      context.delete(b)
      expectDangling(context)
    }
  }

  @Test func whatIsInsertedAgainIsNone() throws {
    try context.performAndWait {
      let b = SmallModel.new("B", ["name": "again"], in: context)
      try context.obtainPermanentIDs(for: [b])
      context.delete(b)
      context.processPendingChanges()
      context.insert(b)
      let a = SmallModel.new("A", ["name": "a", "r": b], in: context)
      try context.save()
      // A later save that checks closely finds nothing wrong either.
      context.delete(SmallModel.new("B", in: context))
      let other = SmallModel.new("A", ["name": "other", "r": b], in: context)
      try context.save()
      #expect(a["r"] as? NSManagedObject === other["r"] as? NSManagedObject)
      #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
    }
  }

  /// A long-lived context doesn't grow with each of them.
  @Test func ofVeryManyLittleIsKept() throws {
    try context.performAndWait {
      let ids = try (0..<3).map { _ in
        let objects = (0..<200).map { _ in SmallModel.new("B", in: context) }
        try context.obtainPermanentIDs(for: objects)
        objects.forEach(context.delete)
        context.processPendingChanges()
        return objects.map(\.objectID)
      }.joined()
      #expect(context.unusedIdentities.rangeCount <= 3)
      let isKnown = ids.map(context.unusedIdentities.contains)
      #expect(isKnown.count == 600)
      #expect(isKnown.allSatisfy { $0 })
    }
  }

  @Test func aChildsReferenceComesTooLate() throws {
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = context
    let id = try context.performAndWait {
      let b = SmallModel.new("B", in: context)
      try context.obtainPermanentIDs(for: [b])
      return b.objectID
    }
    SmallModel.new("A", ["name": "a", "r": child.object(with: id)], in: child)
    try context.performAndWait {
      context.delete(context.object(with: id))
      SmallModel.new("B", ["name": "other"], in: context)
      try context.save()
    }
    try child.save()
    context.performAndWait { expectDangling(context) }
  }
}
