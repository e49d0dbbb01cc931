import DataModels

/// The context whose block is running.
enum CurrentContext {
  @TaskLocal static var value: NSManagedObjectContext?
}

extension NSFetchRequest {
  /// What the request asks for, in the context whose `perform` or `performAndWait` is running.
  ///
  /// Elsewhere there is no such context, which is a programmer's error and traps; see
  /// ``NSManagedObjectContext/fetch(_:)``.
  public func execute() throws -> [ResultType] {
    guard let context = CurrentContext.value, context.queue.isCurrent else {
      preconditionFailure(
        "-[NSFetchRequest execute:]: no context's block is running; use fetch(_:) of a context")
    }
    return try context.fetch(self)
  }
}
