import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Controllers whose delegates, and observers told before them, change the context.
@Suite struct ControllerCallbackTests {
  private let context: NSManagedObjectContext
  private let controller: NSFetchedResultsController<NSManagedObject>
  private let list = List()

  /// Mirrors a controller's results by what it is told, as a table view does.
  private final class List: NSFetchedResultsControllerDelegate {
    var names: [String] = []
    /// Called once for each key, "will", "object" or "did", in the callback of that name.
    var actions: [String: () throws -> Void] = [:]
    var problems: [String] = []
    private var isTold = false
    private var removed: [Int] = []
    private var added: [(Int, String)] = []

    /// Shows other results, whatever it has been told before.
    func begins(with names: [String]) { (self.names, removed, added) = (names, [], []) }

    private func act(_ key: String) {
      do { try actions.removeValue(forKey: key)?() } catch { problems.append("\(error)") }
    }

    func controllerWillChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      if isTold { problems.append("a change within a change") }
      isTold = true
      act("will")
    }

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange object: Any,
      at old: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath new: IndexPath?
    ) {
      let name = (object as? NSManagedObject)?["name"] as? String ?? "?"
      if type == .update {
        if let old { names[old[1]] = name }
      } else {
        if let old { removed.append(old[1]) }
        if let new { added.append((new[1], name)) }
      }
      act("object")
    }

    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      for index in removed.sorted(by: >) { names.remove(at: index) }
      for (index, name) in added.sorted(by: { $0.0 < $1.0 }) { names.insert(name, at: index) }
      (isTold, removed, added) = (false, [], [])
      act("did")
    }
  }

  init() throws {
    let model = SmallModel.model(SmallModel.entity("Item", [SmallModel.text("name")]))
    context = TestStore.context(try TestStore.coordinator(model, type: NSInMemoryStoreType))
    for name in ["b", "d"] { _ = SmallModel.new("Item", ["name": name], in: context) }
    try context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    controller.delegate = list
    try controller.performFetch()
    list.names = ["b", "d"]
  }

  private func expect(_ names: [String]) throws {
    context.processPendingChanges()
    #expect(controller.fetchedObjects?.compactMap { $0["name"] as? String } == names)
    #expect(list.names == names)
    #expect(list.problems == [])
    #expect(try context.fetch(controller.fetchRequest).count == names.count)
  }

  /// What a callback changes is told after the change that it is told of.
  @Test(arguments: ["will", "object", "did"]) func aCallbackInserts(key: String) throws {
    let context = context
    list.actions[key] = {
      _ = SmallModel.new("Item", ["name": "c"], in: context)
      context.processPendingChanges()
    }
    _ = SmallModel.new("Item", ["name": "a"], in: context)
    try expect(["a", "b", "c", "d"])
  }

  @Test(arguments: ["will", "object", "did"]) func aCallbackSaves(key: String) throws {
    let context = context
    list.actions[key] = { try context.save() }
    _ = SmallModel.new("Item", ["name": "a"], in: context)
    try expect(["a", "b", "d"])
    #expect(!context.hasChanges)
  }

  @Test(arguments: ["will", "object", "did"]) func aCallbackDeletes(key: String) throws {
    let context = context
    let last = try #require(controller.fetchedObjects?.last)
    list.actions[key] = {
      context.delete(last)
      try context.save()
    }
    _ = SmallModel.new("Item", ["name": "a"], in: context)
    try expect(["a", "b"])
  }

  /// Two objects that move in events of their own, in a callback, both come to their places.
  @Test(arguments: ["will", "object", "did"]) func aCallbackMovesTwo(key: String) throws {
    let context = context
    for number in 10..<60 { _ = SmallModel.new("Item", ["name": "e\(number)"], in: context) }
    try context.save()
    let items = try #require(controller.fetchedObjects)
    list.actions[key] = {
      items[4]["name"] = "e34x"
      try context.save()
      items[28]["name"] = "z"
      try context.save()
    }
    items[0]["name"] = "a"
    context.processPendingChanges()
    let names = try context.fetch(controller.fetchRequest).compactMap { $0["name"] as? String }
    try expect(names)
  }

  /// A loop over the results in the last callback sees what it deletes there.
  @Test func theLastCallbackTrims() throws {
    let (context, controller) = (context, controller)
    list.actions["did"] = {
      for _ in 0..<10 {
        guard let objects = controller.fetchedObjects, objects.count > 1 else { return }
        context.delete(objects[objects.count - 1])
        try context.save()
      }
    }
    _ = SmallModel.new("Item", ["name": "a"], in: context)
    try expect(["a"])
  }

  /// A deletion loads no other row.
  @Test func aDeletionLeavesFaults() throws {
    let folder = try TemporaryFolder()
    let model = SmallModel.model(SmallModel.entity("Item", [SmallModel.text("name")]))
    let url = folder.file("items.sqlite")
    let writer = SmallModel.context(try SmallModel.coordinator(model, url))
    for number in 10..<60 { _ = SmallModel.new("Item", ["name": "\(number)"], in: writer) }
    try writer.save()
    let context = SmallModel.context(try SmallModel.coordinator(model, url))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.fetchBatchSize = 5
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    controller.delegate = list
    try controller.performFetch()
    let objects = try #require(controller.fetchedObjects)
    list.begins(with: (10..<60).map(String.init))
    context.delete(objects[20])
    context.processPendingChanges()
    #expect(objects[19].isFault && objects[21].isFault)
    #expect(list.names == (10..<60).filter { $0 != 30 }.map(String.init))
  }

  /// A fetch in a callback ends what is told, and what waits.
  @Test(arguments: ["will", "object", "did"], [false, true])
  func aCallbackFetches(key: String, resets: Bool) throws {
    let (context, controller, list) = (context, controller, list)
    list.actions[key] = {
      _ = SmallModel.new("Item", ["name": "c"], in: context)
      try context.save()
      if resets { context.reset() }
      try controller.performFetch()
      list.begins(with: controller.fetchedObjects?.compactMap { $0["name"] as? String } ?? [])
    }
    _ = SmallModel.new("Item", ["name": "a"], in: context)
    try expect(["a", "b", "c", "d"])
    _ = SmallModel.new("Item", ["name": "e"], in: context)
    try expect(["a", "b", "c", "d", "e"])
  }

  /// An observer that is told before the controller takes a deletion back: the object stays.
  @Test func anObserverTakesADeletionBack() throws {
    let context = context
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: nil, queue: nil
    ) { notice in
      guard notice.object as? NSManagedObjectContext === context,
        notice.userInfo?[NSDeletedObjectsKey] != nil
      else { return }
      context.rollback()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.delete(try #require(controller.fetchedObjects?.first))
    try expect(["b", "d"])
    #expect(!context.hasChanges)
  }
}
