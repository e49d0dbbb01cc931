import DataModels
import Dispatch
import Foundation
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

extension [NSManagedObjectModel] {
  /// The models' outlines.
  func outlines() -> [ModelOutline] { mapDistinct { ModelOutline(of: $0) } }

  /// The models' version hashes, by entity.
  func versionHashes() -> [[String: Data]] { mapDistinct { $0.entityVersionHashesByName } }

  /// Applies a function to all models. A model that occurs repeatedly is read only once, by a single thread.
  private func mapDistinct<Result: Sendable>(
    _ body: @Sendable (NSManagedObjectModel) -> Result
  ) -> [Result] {
    var places: [ObjectIdentifier: Int] = [:]
    var distinct: [NSManagedObjectModel] = []
    for model in self where places[ObjectIdentifier(model)] == nil {
      places[ObjectIdentifier(model)] = distinct.count
      distinct.append(model)
    }
    let results = distinct.concurrentMap(body)
    return compactMap { places[ObjectIdentifier($0)].map { results[$0] } }
  }
}
