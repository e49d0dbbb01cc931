import MomKit

/// Asynchronous fetches.
extension Stack {
  func fetchAsynchronously(_ plan: FetchPlan, _ c: Int) throws -> Outcome {
    let context = contexts[c]
    let found = AsynchronousOutcome()
    try within(c) { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: plan.entity)
      plan.configure(request, try plan.condition.map { try predicate($0, c) })
      let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
        found.outcome = Result {
          if let error = result.operationError { throw error }
          return .found(try self.names(of: result.finalResult ?? [], c))
        }
      }
      try context.execute(asynchronous)
    }
    // The queue is serial, so this waits for the fetch.
    context.performAndWait {}
    guard let outcome = found.outcome else { throw Impossible("the fetch never ended") }
    return try outcome.get()
  }

  /// The names of the objects found; the objects are retained from now on.
  func names(of objects: [NSManagedObject], _ c: Int) throws -> [ObjectName] {
    try objects.map { object in
      _ = object.value(forKey: ModelPlan.serial)
      let name = try name(of: object, c)
      hold(object, name, c)
      return name
    }
  }
}

/// The result of a fetch. Sendable: it is written on a context's queue and read after that has finished.
private final class AsynchronousOutcome: @unchecked Sendable {
  var outcome: Result<Outcome, any Error>?
}
