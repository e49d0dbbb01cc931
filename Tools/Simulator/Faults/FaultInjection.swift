import Foundation

/// Has the files below the stores misbehave.
protocol FaultInjector: AnyObject {
  /// From now on the stores' files meet the fault.
  func arm(_ fault: Fault)
  /// The fault is over. Whether anything met it.
  @discardableResult func disarm() -> Bool
}

/// The injector of this process; none unless a run asked for faults.
enum FaultInjection {
  nonisolated(unsafe) static var current: (any FaultInjector)?
}
