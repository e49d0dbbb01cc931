import Foundation
import Synchronization

/// The recursive lock of a coordinator's stores.
///
/// It records which thread holds it, and whether a thread ever had to wait for it: until then requests share the writing
/// connection, and a single-threaded program opens no other.
final class StoresLock: Sendable {
  private let mutex = NSRecursiveLock()
  private let holder = Atomic<UInt>(0)
  /// How often the holder has locked it; changed by the holder only.
  private let depth = Atomic<Int>(0)
  private let contended = Atomic<Bool>(false)
  /// Counts the changes of the list of stores and of their engines; see ``KnownStores``.
  private let changes = Atomic<Int>(0)

  /// Whether a thread ever waited for it.
  var wasContended: Bool { contended.load(ordering: .relaxed) }

  /// Whether the calling thread holds it.
  var isHeldHere: Bool { holder.load(ordering: .relaxed) == CurrentThread.number }

  /// A number that is different after each change of the list of stores or of their engines.
  var version: Int { changes.load(ordering: .acquiring) }

  /// Records such a change, after it was made.
  func noteChange() { changes.add(1, ordering: .releasing) }

  func lock() {
    if !mutex.try() {
      contended.store(true, ordering: .relaxed)
      mutex.lock()
    }
    noteTaken()
  }

  /// Locks it unless another thread holds it; returns whether it did.
  func tryLock() -> Bool {
    guard mutex.try() else {
      contended.store(true, ordering: .relaxed)
      return false
    }
    noteTaken()
    return true
  }

  func unlock() {
    if depth.wrappingSubtract(1, ordering: .relaxed).newValue == 0 {
      holder.store(0, ordering: .relaxed)
    }
    mutex.unlock()
  }

  private func noteTaken() {
    if depth.wrappingAdd(1, ordering: .relaxed).newValue == 1 {
      holder.store(CurrentThread.number, ordering: .relaxed)
    }
  }

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
