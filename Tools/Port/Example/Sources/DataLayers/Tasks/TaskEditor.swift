import CoreData

/// Edits a task in a child context, which is saved or discarded.
final class TaskEditor {
  private let context: NSManagedObjectContext
  let task: TaskMO

  init(_ task: TaskMO?, stack: CoreDataStack) throws {
    context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.parent = stack.mainContext
    if let task, let copy = try context.existingObject(with: task.objectID) as? TaskMO {
      self.task = copy
    } else {
      self.task = TaskMO(context: context)
    }
  }

  func addStep(_ title: String) {
    let step = Step(context: context)
    step.title = title
    task.addToSteps(step)
  }

  var stepTitles: [String] {
    (task.steps?.array as? [Step])?.compactMap(\.title) ?? []
  }

  func done() throws {
    try context.save()
  }

  func cancel() {
    context.rollback()
  }
}

extension NSManagedObjectContext {
  /// Saves the changes, or rolls them back if that fails.
  func saveOrRollback() -> Bool {
    do {
      try save()
      return true
    } catch {
      rollback()
      return false
    }
  }

  func performChanges(_ block: @escaping () -> Void) {
    perform {
      block()
      _ = self.saveOrRollback()
    }
  }
}
