import MomKit

/// Compares the contents of the stores' files with the reference's rows.
struct StoreComparison {
  private let stack: Stack
  private let step: Int

  init(_ stack: Stack, _ step: Int) {
    self.stack = stack
    self.step = step
  }

  /// After a save: compares what a new context reads.
  func compare(_ world: ReferenceWorld) -> Failure? {
    guard let coordinator = stack.coordinators.last else { return nil }
    return compare(world, coordinator, "saved")
  }

  /// At the end of a program: compares what a new coordinator reads, and runs the library's own check.
  func compareFinally(_ world: ReferenceWorld) -> Failure? {
    // An in-memory store ends with its coordinator.
    guard stack.hasFiles else { return compare(world) }
    do {
      let coordinator = try stack.open()
      if let failure = compare(world, coordinator, "reopened") { return failure }
      let metadata = Stack.metadata(coordinator)
      if let expected = world.metadata.saved, metadata.contains(where: { $0 != expected }) {
        return Failure(
          kind: "metadata", step: step, text: "expected \(expected)\nactual   \(metadata)")
      }
      for store in 0..<stack.plan.storeCount where stack.hasTables {
        // A context that reads an earlier state still has the external files of that state.
        let isPinned = world.contexts.contains { $0.generation != .newest }
        if let finding = try stack.finding(in: store, leavesFiles: isPinned || stack.mayLeaveFiles)
        {
          return Failure(kind: "check: \(finding.rule)", step: step, text: "\(finding)")
        }
      }
      return nil
    } catch {
      return Failure(kind: "reopening", step: step, text: "\(error)")
    }
  }

  private func compare(
    _ world: ReferenceWorld, _ coordinator: NSPersistentStoreCoordinator, _ place: String
  ) -> Failure? {
    do {
      let actual = try read(coordinator)
      guard
        let found = Comparison(step).difference(
          world.savedViews(), actual, stack.plan, seesDerived: true)
      else { return nil }
      return Failure(
        kind: "\(place): \(found.kind)", step: step,
        text: "expected \(found.expected)\nactual   \(found.actual)")
    } catch let error as Impossible {
      return Failure(kind: "\(place): impossible", step: step, text: error.what)
    } catch {
      return Failure(kind: "\(place): error", step: step, text: "\(error)")
    }
  }

  /// The rows as a new context reads them.
  func read(
    _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [ObjectName: ObjectView] {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var views: [ObjectName: ObjectView] = [:]
    for entity in stack.plan.entities where entity.parent == nil {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
      for object in try context.fetch(request) {
        let name = try name(of: object)
        if views[name] != nil { throw Impossible("two rows of object \(name)") }
        views[name] = try stack.view(object, naming: name(of:))
      }
    }
    return views
  }

  private func name(of object: NSManagedObject) throws -> ObjectName {
    let uri = object.objectID.uriRepresentation()
    if let name = stack.names[uri] { return name }
    guard let serial = object.value(forKey: ModelPlan.serial) as? NSNumber else {
      throw Impossible("a row of nobody: \(uri.path)")
    }
    return serial.intValue
  }
}
