import Dispatch
import Foundation

/// The queue a context works on.
final class ContextQueue: @unchecked Sendable {
  private let queue: DispatchQueue?
  private let key = DispatchSpecificKey<Bool>()

  init(_ type: NSManagedObjectContextConcurrencyType) {
    switch type {
    case .mainQueueConcurrencyType: queue = .main
    case .privateQueueConcurrencyType:
      queue = DispatchQueue(label: "MomKit.NSManagedObjectContext")
      queue?.setSpecific(key: key, value: true)
    case .confinementConcurrencyType: queue = nil
    }
  }

  /// Whether the caller is on the queue already.
  var isCurrent: Bool {
    guard let queue else { return true }
    return queue === DispatchQueue.main
      ? Thread.isMainThread : DispatchQueue.getSpecific(key: key) == true
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    guard let queue else { return work() }
    queue.async(execute: work)
  }

  func sync<Result>(_ work: () throws -> Result) rethrows -> Result {
    guard let queue, !isCurrent else { return try work() }
    return try queue.sync(execute: work)
  }
}
