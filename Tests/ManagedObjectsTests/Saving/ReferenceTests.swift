import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// References that a save rejects: to deleted objects, to objects that were never saved, to objects in other stores.
@Suite struct ReferenceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// `A.r` refers to `B`, with or without an inverse.
  private func model(
    many: Bool = false, ordered: Bool = false, inverse: Bool? = nil,
    rule: NSDeleteRule = .nullifyDeleteRule
  ) -> NSManagedObjectModel {
    let r = SmallModel.relationship("r", many: many, ordered: ordered)
    let a = SmallModel.entity("A", [SmallModel.text("name"), r])
    let b = SmallModel.entity("B", [SmallModel.text("name")])
    r.destinationEntity = b
    if let isMany = inverse {
      let back = SmallModel.relationship("back", many: isMany, rule: rule)
      b.properties.append(back)
      SmallModel.link((r, of: a), (back, of: b))
    }
    return SmallModel.model(a, b)
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    for number in 1...40 { SmallModel.new("B", ["name": "old \(number)"], in: context) }
    try context.save()
    context.reset()
  }

  private func expectDangling(
    _ context: NSManagedObjectContext, of owner: NSManagedObject,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let error = #expect(throws: NSError.self, sourceLocation: sourceLocation) {
      try context.save()
    }
    #expect(error?.code == NSManagedObjectValidationError, sourceLocation: sourceLocation)
    #expect(
      error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === owner,
      sourceLocation: sourceLocation)
    #expect(
      error?.userInfo[NSValidationKeyErrorKey] as? String == "r", sourceLocation: sourceLocation)
    #expect(
      error?.userInfo[NSValidationValueErrorKey] != nil, sourceLocation: sourceLocation)
    #expect(context.hasChanges, sourceLocation: sourceLocation)
  }

  @Test(arguments: [false, true])
  func anInsertionThatWasDeletedIsNoDestination(processes: Bool) throws {
    let coordinator = try SmallModel.coordinator(model(), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    try fill(context)
    let b = SmallModel.new("B", ["name": "never saved"], in: context)
    let a = SmallModel.new("A", ["name": "a", "r": b], in: context)
    context.delete(b)
    if processes { context.processPendingChanges() }
    try expectDangling(context, of: a)
    a["r"] = nil
    try context.save()
    #expect(
      try SmallModel.all("A", SmallModel.context(coordinator)).map { $0["r"] == nil } == [true])
  }

  @Test(arguments: [(false, false), (false, true), (true, false)])
  func norIsItAMember(hasInverse: Bool, isOrdered: Bool) throws {
    let model = model(
      many: true, ordered: isOrdered, inverse: hasInverse ? true : nil, rule: .noActionDeleteRule)
    let coordinator = try SmallModel.coordinator(model, folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    try fill(context)
    let b = SmallModel.new("B", in: context)
    let a = SmallModel.new("A", ["name": "a"], in: context)
    a.addObject(b, toRelationshipNamed: "r")
    context.delete(b)
    try expectDangling(context, of: a)
    a.setValue(NSSet(), forKey: "r")
    try context.save()
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("A", reader)
    #expect(SmallModel.names(read.first, "r").isEmpty)
  }

  @Test func anUndoneInsertionIsNone() throws {
    let coordinator = try SmallModel.coordinator(model(), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    try fill(context)
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let b = SmallModel.new("B", in: context)
    context.processPendingChanges()
    context.undo()
    context.undoManager = nil
    #expect(b.managedObjectContext == nil)
    let a = SmallModel.new("A", in: context)
    a.setPrimitiveValue(context.object(with: b.objectID), forKey: "r")
    try expectDangling(context, of: a)
  }

  @Test func whatTheSameSaveDeletesIsNone() throws {
    let coordinator = try SmallModel.coordinator(model(inverse: true), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    let a = SmallModel.new("A", in: context)
    let b = SmallModel.new("B", in: context)
    try context.save()
    context.delete(b)
    context.processPendingChanges()
    a["r"] = b
    try expectDangling(context, of: a)
    context.rollback()
    // Previous references are cleared by the delete rule as usual.
    a["r"] = b
    try context.save()
    context.delete(b)
    try context.save()
    #expect(a["r"] == nil)
  }

  @Test func aRuleOfNoActionLeavesWhatWasSaved() throws {
    let coordinator = try SmallModel.coordinator(
      model(inverse: true, rule: .noActionDeleteRule), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    let b = SmallModel.new("B", in: context)
    let a = SmallModel.new("A", ["r": b], in: context)
    try context.save()
    context.delete(b)
    a["name"] = "changed too"
    try context.save()
    #expect(try SmallModel.all("A", SmallModel.context(coordinator)).first?["name"] != nil)
  }

  @Test func failuresAreCombined() throws {
    let coordinator = try SmallModel.coordinator(model(), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    let b = SmallModel.new("B", in: context)
    for _ in 0..<2 { SmallModel.new("A", ["r": b], in: context) }
    context.delete(b)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSValidationMultipleErrorsError)
    #expect((error?.userInfo[NSDetailedErrorsKey] as? [Any])?.count == 2)
  }

  @Test func aChildRefusesTooAndTakesItsParentsNewObjects() throws {
    let coordinator = try SmallModel.coordinator(model(), folder.file("a.sqlite"))
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let id = parent.performAndWait {
      SmallModel.new("B", ["name": "the parent's"], in: parent).objectID
    }
    let a = SmallModel.new("A", in: child)
    let gone = SmallModel.new("B", in: child)
    a["r"] = gone
    child.delete(gone)
    try expectDangling(child, of: a)
    a["r"] = child.object(with: id)
    try child.save()
    try parent.performAndWait { try parent.save() }
    // Known by its temporary ID here, saved there.
    let other = SmallModel.new("A", ["r": child.object(with: id)], in: child)
    child.delete(SmallModel.new("B", in: child))
    try child.save()
    try parent.performAndWait { try parent.save() }
    #expect(other["r"] != nil)
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("A", reader)
    #expect(
      read.map { ($0["r"] as? NSManagedObject)?["name"] as? String }
        == ["the parent's", "the parent's"])
  }

  @Test(arguments: [(false, Bool?.none), (true, nil), (false, true), (true, true), (true, false)])
  func otherStoresAreOutOfReach(isMany: Bool, inverse: Bool?) throws {
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: model(many: isMany, inverse: inverse))
    let stores = try ["a", "b"].map {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("\($0).sqlite"),
        options: nil)
    }
    let context = SmallModel.context(coordinator)
    let b = SmallModel.new("B", in: context)
    let a = SmallModel.new("A", in: context)
    context.assign(a, to: stores[0])
    context.assign(b, to: stores[1])
    func relate() {
      if isMany { a.addObject(b, toRelationshipNamed: "r") } else { a["r"] = b }
    }
    relate()
    func expectRefusal() {
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectExternalRelationshipError)
      #expect(error?.userInfo[NSValidationObjectErrorKey] is NSManagedObject)
      #expect(error?.userInfo[NSValidationKeyErrorKey] is String)
    }
    expectRefusal()
    a.setValue(nil, forKey: "r")
    try context.save()
    relate()
    expectRefusal()
    context.rollback()
    // Within one store it works.
    let c = SmallModel.new("B", in: context)
    context.assign(c, to: stores[0])
    if isMany { a.addObject(c, toRelationshipNamed: "r") } else { a["r"] = c }
    try context.save()
  }

  @Test func aCloserLookFindsChangesOfForm() throws {
    let coordinator = try SmallModel.coordinator(model(), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    let a = SmallModel.new("A", ["name": "Cafe\u{301}"], in: context)
    try context.save()
    a["name"] = "Caf\u{e9}"
    #expect(a.changedValues().keys.sorted() == ["name"])
    try context.save()
    let read = try SmallModel.all("A", SmallModel.context(coordinator)).first?["name"] as? String
    #expect(read?.unicodeScalars.count == 4)
  }
}
