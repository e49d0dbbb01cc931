import Dispatch
import Synchronization

extension Collection where Self: Sendable, Index == Int {
  /// Applies a function to all elements concurrently, and returns the results in order.
  package func concurrentMap<Result: Sendable>(_ body: @Sendable (Element) -> Result) -> [Result] {
    guard count > 1 else { return map(body) }
    let results = Mutex([Result?](repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { place in
      let result = body(self[startIndex + place])
      results.withLock { $0[place] = result }
    }
    return results.withLock { $0.compactMap { $0 } }
  }
}

/// Calls two functions at the same time, the first on this thread.
///
/// Both may use `concurrentMap`: Dispatch would run that on one thread if these functions were iterations themselves.
package func concurrently<One, Other: Sendable>(
  _ one: () -> One, _ other: @escaping @Sendable () -> Other
) -> (One, Other) {
  let result = SharedResult<Other>()
  let group = DispatchGroup()
  DispatchQueue.global().async(group: group) {
    let value = other()
    result.value.withLock { $0 = value }
  }
  let first = one()
  group.wait()
  return (first, result.value.withLock { $0 } ?? other())
}

private final class SharedResult<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
