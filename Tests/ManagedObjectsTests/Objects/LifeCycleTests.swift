import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What subclasses do when their objects come and go, and through primitive values.
@Suite struct LifeCycleTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  init() throws {
    Cupboard.register()
    Box.register()
    folder = try TemporaryFolder()
    coordinator = try SmallModel.coordinator(Self.model(), folder.file("a.sqlite"))
    context = SmallModel.context(coordinator)
  }

  private static func model() -> NSManagedObjectModel {
    let shelf = SmallModel.entity("Cupboard", [])
    let box = SmallModel.entity("Box", [])
    shelf.managedObjectClassName = ManagedObjects.NSStringFromClass(Cupboard.self)
    box.managedObjectClassName = ManagedObjects.NSStringFromClass(Box.self)
    let boxes = SmallModel.relationship("boxes", many: true)
    let holder = SmallModel.relationship("shelf")
    SmallModel.link((boxes, of: shelf), (holder, of: box))
    let list = SmallModel.relationship("list", many: true, ordered: true)
    let listed = SmallModel.relationship("listed")
    SmallModel.link((list, of: shelf), (listed, of: box))
    let best = SmallModel.relationship("best")
    let bestOf = SmallModel.relationship("bestOf")
    SmallModel.link((best, of: shelf), (bestOf, of: box))
    shelf.properties = [SmallModel.text("name"), SmallModel.number("count"), boxes, list, best]
    box.properties = [SmallModel.text("name"), holder, listed, bestOf]
    return SmallModel.model(shelf, box)
  }

  private func all<Object: NSManagedObject>(_ name: String) throws -> [Object] {
    try context.fetch(NSFetchRequest<Object>(entityName: name))
  }

  /// Relationships set in `awakeFromInsert` have their inverses, before and after a save.
  @Test(arguments: Cupboard.Beginning.allCases) func aNewObjectIsRelated(
    beginning: Cupboard.Beginning
  )
    throws
  {
    let shelf = Cupboard.$beginning.withValue(beginning) { Cupboard(context: context) }
    for isSaved in [false, true] {
      let boxes: [Box] = try all("Box")
      let box = try #require(boxes.first)
      switch beginning {
      case .member, .wholeSet, .owner:
        #expect(box.shelf === shelf && shelf.boxes == [box], "\(isSaved)")
      case .partner: #expect(box.bestOf === shelf && shelf.best === box, "\(isSaved)")
      }
      try context.save()
      context.refreshAllObjects()
    }
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test func anUndoneInsertionTakesItsRelationshipsAlong() throws {
    let box = Box(context: context)
    try context.save()
    context.undoManager = UndoManager()
    context.undoManager?.groupsByEvent = false
    let shelf = Cupboard.$beginning.withValue(.member) { Cupboard(context: context) }
    shelf.boxes.insert(box)
    context.processPendingChanges()
    context.undo()
    #expect(box.shelf == nil && context.insertedObjects.isEmpty)
    context.redo()
    #expect(box.shelf === shelf && shelf.boxes.count == 2)
  }

  /// Objects without a context are related as typed properties and by key-value coding.
  @Test func unattachedObjectsAreRelated() throws {
    let model = try #require(coordinator.managedObjectModel.entitiesByName["Cupboard"])
    let boxes = try #require(coordinator.managedObjectModel.entitiesByName["Box"])
    let (shelf, box) = (
      Cupboard(entity: model, insertInto: nil), Box(entity: boxes, insertInto: nil)
    )
    #expect(box.shelf == nil)
    box.shelf = shelf
    #expect(box.shelf === shelf)
    #expect(box.value(forKey: "shelf") as? Cupboard === shelf)
    box.shelf = nil
    #expect(box.shelf == nil)
  }

  /// The accessors of the Core Data Programming Guide.
  @Test func primitiveSetsAreChanged() throws {
    let (shelf, box, other) = (
      Cupboard(context: context), Box(context: context), Box(context: context)
    )
    shelf.addByPrimitive(box)
    shelf.addByPrimitive(other)
    #expect(shelf.boxes == [box, other] && box.shelf === shelf)
    try context.save()
    shelf.removeByPrimitive(box)
    #expect(shelf.boxes == [other] && box.shelf == nil)
    shelf.list = NSOrderedSet(array: [box, other])
    shelf.exchangeByPrimitive()
    #expect(shelf.list.array as? [Box] == [other, box])
    try context.save()
    context.refreshAllObjects()
    #expect(shelf.boxes == [other] && shelf.list.array as? [Box] == [other, box])
    // Looking at the primitive value changes nothing, whatever else is done meanwhile.
    shelf.willChangeValue(forKey: "boxes")
    #expect((shelf.primitiveValue(forKey: "boxes") as? NSMutableSet)?.count == 1)
    shelf.boxes.insert(box)
    shelf.didChangeValue(forKey: "boxes")
    #expect(shelf.boxes == [box, other])
  }

  /// As `@NSManaged var primitiveBoxes: NSMutableSet` reads them.
  @Test func primitiveSetsAreMutableOutsideOfChangesToo() throws {
    let (shelf, box) = (Cupboard(context: context), Box(context: context))
    shelf.boxes = [box]
    shelf.list = NSOrderedSet(array: [box])
    let boxes: NSMutableSet = shelf.managedPrimitive("boxes")
    let list: NSMutableOrderedSet = shelf.managedPrimitive("list")
    #expect(boxes == NSSet(object: box) && list.array as? [Box] == [box])
    #expect(shelf.primitiveValue(forKey: "boxes") as? Set<Box> == [box])
    boxes.removeAllObjects()
    list.removeAllObjects()
    #expect(shelf.boxes == [box] && shelf.list.count == 1)
  }

  @Test func faultsAreTold() throws {
    let shelf = Cupboard(context: context)
    try context.save()
    shelf.told = []
    context.refresh(shelf, mergeChanges: false)
    #expect(shelf.told == ["will", "did"])
    #expect(shelf.name == nil)
    context.reset()
    #expect(shelf.told == ["will", "did", "will", "did"])
    #expect(shelf.managedObjectContext == nil)
  }

  @Test func nilForANumberIsWhatAClassMakesOfIt() throws {
    let (shelf, box) = (Cupboard(context: context), Box(context: context))
    shelf.setValue(nil, forKey: "count")
    #expect(shelf.value(forKey: "count") as? Int == -1)
    shelf.setValue(NSNull(), forKey: "count")
    #expect(shelf.value(forKey: "count") as? Int == -1)
    box.setValue(nil, forKey: "name")
    #expect(box.name == nil)
    shelf.setPrimitiveValue(nil, forKey: "count")
    #expect(shelf.value(forKey: "count") == nil)
  }

  @Test func errorsTellTheirDetails() throws {
    let limited = SmallModel.relationship("parts", many: true)
    limited.maxCount = 1
    limited.isOptional = false
    limited.minCount = 1
    limited.maxCount = 2
    let whole = SmallModel.entity("Whole", [SmallModel.text("name"), limited])
    limited.destinationEntity = whole
    let context = SmallModel.context(try TestStore.coordinator(SmallModel.model(whole)))
    let object = SmallModel.new("Whole", in: context)
    do {
      try context.save()
      Issue.record("saved")
    } catch let error as CocoaError {
      #expect(error.code == .validationRelationshipLacksMinimumCount)
      #expect(error.validationKey == "parts" && error.validationObject === object)
      #expect((error.validationValue as? NSSet)?.count == 0)
      #expect(error.validationPredicate == nil && error.affectedStores == nil)
    }
  }

  @Test func conflictsDescribeThemselves() throws {
    let shelf = Cupboard(context: context)
    try context.save()
    let other = SmallModel.context(coordinator)
    try other.existingObject(with: shelf.objectID).setValue("theirs", forKey: "name")
    try other.save()
    shelf.name = "mine"
    do {
      try context.save()
      Issue.record("saved")
    } catch let error as CocoaError {
      let conflict = try #require(error.persistentStoreSaveConflicts?.first)
      let text = conflict.description
      #expect(text.contains("with oldVersion = 1 and newVersion = 2"), "\(text)")
      #expect(text.contains("name = theirs"), "\(text)")
    }
  }
}

final class Cupboard: NSManagedObject {
  enum Beginning: CaseIterable { case member, wholeSet, owner, partner }
  @TaskLocal static var beginning: Beginning?

  @Managed var name: String?
  @Managed var boxes: Set<Box>
  @Managed var list: NSOrderedSet
  @Managed var best: Box?
  var told: [String] = []

  override func awakeFromInsert() {
    super.awakeFromInsert()
    guard let beginning = Self.beginning, let context = managedObjectContext else { return }
    let box = Box(context: context)
    switch beginning {
    case .member: mutableSetValue(forKey: "boxes").add(box)
    case .wholeSet: boxes = [box]
    case .owner: box.shelf = self
    case .partner: best = box
    }
  }

  override func willTurnIntoFault() { told.append("will") }
  override func didTurnIntoFault() { told.append("did") }
  override func setNilValueForKey(_ key: String) { setValue(-1, forKey: key) }

  func addByPrimitive(_ box: Box) {
    willChangeValue(forKey: "boxes", withSetMutation: .union, using: [box])
    (primitiveValue(forKey: "boxes") as? NSMutableSet)?.add(box)
    didChangeValue(forKey: "boxes", withSetMutation: .union, using: [box])
  }

  func removeByPrimitive(_ box: Box) {
    willChangeValue(forKey: "boxes", withSetMutation: .minus, using: [box])
    (primitiveValue(forKey: "boxes") as? NSMutableSet)?.remove(box)
    didChangeValue(forKey: "boxes", withSetMutation: .minus, using: [box])
  }

  func exchangeByPrimitive() {
    willChange(.replacement, valuesAt: [0, 1], forKey: "list")
    (primitiveValue(forKey: "list") as? NSMutableOrderedSet)?
      .exchangeObject(at: 0, withObjectAt: 1)
    didChange(.replacement, valuesAt: [0, 1], forKey: "list")
  }
}

final class Box: NSManagedObject {
  @Managed var name: String?
  @Managed var shelf: Cupboard?
  @Managed var bestOf: Cupboard?
}
