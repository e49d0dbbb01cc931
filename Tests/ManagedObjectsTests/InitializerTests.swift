import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Objects whose classes have custom initializers.
@Suite(.serialized) struct InitializerTests {
  init() {
    Parcel.register()
    ParcelLabel.register()
    Parcel.work = nil
  }

  private func context() throws -> NSManagedObjectContext {
    return TestStore.context(try TestStore.coordinator(Parcel.model))
  }

  private func save(_ count: Int, in context: NSManagedObjectContext) throws {
    for number in 0..<count {
      Parcel(context: context).setValue("parcel \(number)", forKey: "name")
      ParcelLabel(context: context).setValue("label \(number)", forKey: "name")
    }
    try context.save()
    context.reset()
  }

  @Test(arguments: [false, true])
  func anInitializerMayMakeOtherObjects(before: Bool) throws {
    let context = try context()
    try save(3, in: context)
    let side = try #require(context.persistentStoreCoordinator).newContext()
    Parcel.work = Parcel.Work(isBefore: before) { _ = ParcelLabel(context: side) }
    let parcels = try context.fetch(NSFetchRequest<Parcel>(entityName: "Parcel"))
    #expect(Set(parcels.compactMap { $0.value(forKey: "name") as? String }).count == 3)
    #expect(parcels.allSatisfy { !$0.isInserted && !$0.objectID.isTemporaryID })
    #expect(side.insertedObjects.count == 3)
    #expect(!context.hasChanges)
    let made = Parcel(context: context)
    #expect(made.isInserted && context.insertedObjects == [made])
    #expect(side.insertedObjects.count == 4)
  }

  @Test(arguments: [false, true])
  func anInitializerMayFetchOtherObjects(before: Bool) throws {
    let context = try context()
    try save(3, in: context)
    let side = try #require(context.persistentStoreCoordinator).newContext()
    var names: Set<String> = []
    Parcel.work = Parcel.Work(isBefore: before) {
      side.reset()
      let labels = try? side.fetch(NSFetchRequest<ParcelLabel>(entityName: "ParcelLabel"))
      for label in labels ?? [] {
        if let name = label.value(forKey: "name") as? String { names.insert(name) }
      }
    }
    let parcels = try context.fetch(NSFetchRequest<Parcel>(entityName: "Parcel"))
    #expect(Set(parcels.compactMap { $0.value(forKey: "name") as? String }).count == 3)
    #expect(parcels.allSatisfy { !$0.isInserted && $0.managedObjectContext === context })
    #expect(names == ["label 0", "label 1", "label 2"])
    #expect(Parcel(context: context).isInserted)
  }

  /// An initializer creates another object of the same entity, once.
  @Test(arguments: [false, true])
  func anInitializerMayMakeItsOwnKind(before: Bool) throws {
    let context = try context()
    try save(2, in: context)
    let side = try #require(context.persistentStoreCoordinator).newContext()
    var made: NSManagedObject?
    Parcel.work = Parcel.Work(isBefore: before) {
      Parcel.work = nil
      made = NSEntityDescription.insertNewObject(forEntityName: "Parcel", into: side)
    }
    let parcels = try context.fetch(NSFetchRequest<Parcel>(entityName: "Parcel"))
    #expect(
      parcels.compactMap { $0.value(forKey: "name") as? String }.sorted()
        == ["parcel 0", "parcel 1"])
    #expect(parcels.allSatisfy { $0.managedObjectContext === context && !$0.isInserted })
    #expect(made?.isInserted == true && side.insertedObjects.count == 1)
    #expect(made?.objectID.isTemporaryID == true)
  }

  /// An initializer may fetch in the context that is fetching: every row still has a single object.
  @Test(arguments: [false, true], [false, true])
  func anInitializerMayFetchInTheSameContext(before: Bool, ofItsOwn: Bool) throws {
    let context = try context()
    try save(300, in: context)
    var inner: [NSManagedObject] = []
    Parcel.work = Parcel.Work(isBefore: before) {
      Parcel.work = nil
      let name = ofItsOwn ? "Parcel" : "ParcelLabel"
      inner = (try? context.fetch(NSFetchRequest<NSManagedObject>(entityName: name))) ?? []
    }
    let parcels = try context.fetch(NSFetchRequest<Parcel>(entityName: "Parcel"))
    #expect(inner.count == 300 && Set(parcels).count == 300)
    #expect(context.registeredObjects.count == (ofItsOwn ? 300 : 600))
    #expect(Set(parcels.compactMap { $0.value(forKey: "name") as? String }).count == 300)
    for object in parcels + inner {
      #expect(context.object(with: object.objectID) === object)
      #expect(object.managedObjectContext === context && !object.isInserted)
    }
    if ofItsOwn { #expect(Set(inner) == Set(parcels)) }
  }

  /// Objects fetched before the reset have lost their context; later ones have it.
  @Test(arguments: [false, true])
  func anInitializerMayResetTheContext(before: Bool) throws {
    let context = try context()
    try save(300, in: context)
    var count = 0
    Parcel.work = Parcel.Work(isBefore: before) {
      count += 1
      if count == 100 { context.reset() }
    }
    let parcels = try context.fetch(NSFetchRequest<Parcel>(entityName: "Parcel"))
    #expect(parcels.count == 300)
    #expect(parcels.prefix(99).allSatisfy { $0.managedObjectContext == nil })
    #expect(parcels.suffix(200).allSatisfy { $0.managedObjectContext === context })
    for parcel in parcels.suffix(200) {
      #expect(context.object(with: parcel.objectID) === parcel)
    }
  }

  /// A parent's rows are delivered on its queue's thread: on the main thread of a program with a run loop, if it is
  /// the view context.
  @Test func rowsMayComeOnAnotherThread() throws {
    let context = try context()
    try save(3, in: context)
    let parcels = try context.fetch(NSFetchRequest<Parcel>(entityName: "Parcel"))
    let (layout, store) = (parcels[0].layout, parcels[0].storeReference)
    let keys = parcels.map(\.rowKey)
    context.reset()
    nonisolated(unsafe) let sink = ObjectSink(context, takesValues: false)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      sink.begin(store)
      for key in keys { _ = sink.beginRow(of: layout, key: key, version: 1) }
      done.signal()
    }
    done.wait()
    #expect(sink.objects.count == 3)
    for object in sink.objects {
      #expect(object.managedObjectContext === context && !object.objectID.isTemporaryID)
      #expect((object.value(forKey: "name") as? String)?.hasPrefix("parcel") == true)
    }
  }

  /// A class may pass on a different context from the one it was given.
  @Test func anInitializerMayChangeTheContext() throws {
    let context = try context()
    let side = try #require(context.persistentStoreCoordinator).newContext()
    Parcel.otherContext = side
    defer { Parcel.otherContext = nil }
    let parcel = Parcel(context: context)
    #expect(parcel.managedObjectContext === side && side.insertedObjects == [parcel])
    #expect(context.insertedObjects.isEmpty)
  }
}

extension NSPersistentStoreCoordinator {
  fileprivate func newContext() -> NSManagedObjectContext {
    return TestStore.context(self)
  }
}

/// A class whose initializer runs a closure of the test.
final class Parcel: NSManagedObject {
  struct Work {
    let isBefore: Bool
    let run: () -> Void
  }

  nonisolated(unsafe) static var work: Work?
  nonisolated(unsafe) static var otherContext: NSManagedObjectContext?

  static let model = NSManagedObjectModel(
    of: ["Parcel", "ParcelLabel"].map { name in
      TestSupport.entity(name, class: name, [attribute("name", .stringAttributeType)])
    })

  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    if let work = Self.work, work.isBefore { work.run() }
    super.init(entity: entity, insertInto: Self.otherContext ?? context)
    if let work = Self.work, !work.isBefore { work.run() }
  }
}

final class ParcelLabel: NSManagedObject {}
