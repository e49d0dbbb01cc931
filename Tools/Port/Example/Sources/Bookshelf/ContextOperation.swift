import CoreData
import Foundation

/// Receives the results of an operation.
@objc protocol ContextOperationDelegate {
  @objc optional func operationDidSave(_ operation: ContextOperation, inserted count: Int)
  @objc optional func operationShouldSave(_ operation: ContextOperation) -> Bool
}

extension NSManagedObject {
  /// The name that operations display for a class; subclasses override it.
  @objc class var displayName: String { entity().name ?? "" }

  /// Stores the values that an operation delivers.
  @objc func take(_ values: [String: Any]) throws {
    for (key, value) in values { setValue(value, forKey: key) }
  }
}

/// An operation with its own context, executed by an operation queue.
class ContextOperation: Operation, @unchecked Sendable {
  @objc private enum State: Int { case ready, executing, finished }

  private let lock = NSLock()
  private var current = State.ready
  private let container: NSPersistentContainer
  private let work: (NSManagedObjectContext) throws -> Void
  weak var delegate: (any ContextOperationDelegate)?
  private(set) var error: (any Error)?

  @objc private dynamic var state: State {
    get { lock.withLock { current } }
    set { lock.withLock { current = newValue } }
  }

  init(
    _ container: NSPersistentContainer, work: @escaping (NSManagedObjectContext) throws -> Void
  ) {
    self.container = container
    self.work = work
  }

  override var isReady: Bool { state == .ready && super.isReady }
  final override var isAsynchronous: Bool { true }
  final override var isExecuting: Bool { state == .executing }
  final override var isFinished: Bool { state == .finished }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    ["isReady", "isExecuting", "isFinished"].contains(key)
      ? [#keyPath(state)] : super.keyPathsForValuesAffectingValue(forKey: key)
  }

  final override func start() {
    state = .executing
    container.performBackgroundTask { context in
      do {
        try self.work(context)
        let count = context.insertedObjects.count
        if self.delegate?.operationShouldSave?(self) ?? true { try context.save() }
        self.delegate?.operationDidSave?(self, inserted: count)
      } catch {
        self.error = error
      }
      self.state = .finished
    }
  }
}
