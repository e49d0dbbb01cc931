import Dispatch
import Synchronization

extension Collection where Self: Sendable, Index == Int {
  /// Applies a function to all elements concurrently, and returns the results in order.
  func concurrentMap<Result: Sendable>(_ body: @Sendable (Element) -> Result) -> [Result] {
    guard count > 1 else { return map(body) }
    let results = Mutex([Result?](repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { place in
      let result = body(self[startIndex + place])
      results.withLock { $0[place] = result }
    }
    return results.withLock { $0.compactMap { $0 } }
  }
}
