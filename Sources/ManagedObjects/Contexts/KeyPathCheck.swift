import Foundation
import ManagedModel
import PredicateFormat

/// Finds key paths of a request that its entity doesn't have, before a store is asked in vain.
struct KeyPathCheck {
  private let layout: EntityLayout

  init(_ layout: EntityLayout) { self.layout = layout }

  /// Checks the predicate and the sort descriptors.
  ///
  /// - Throws: an `NSError` that names the first path not found.
  func check(_ request: AnyFetchRequest) throws {
    try check(request.predicate)
    for descriptor in request.sortDescriptors ?? [] {
      if let key = descriptor.key { try check(key) }
    }
  }

  /// Checks a predicate.
  ///
  /// - Throws: an `NSError` that names the first path not found.
  func check(_ predicate: NSPredicate?) throws {
    var pending = [predicate?.tree].compactMap { $0 }
    while let predicate = pending.popLast() {
      switch predicate {
      case .compound(_, let members): pending += members
      case .comparison(let comparison):
        for side in [comparison.left, comparison.right] {
          if case .keyPath(let path) = side, path.operand == .evaluatedObject {
            try check(path.path)
          }
        }
      case .value, .opaque: break
      }
    }
  }

  private func check(_ path: String) throws {
    var current = layout
    for key in path.split(separator: ".").map(String.init) {
      // Operators and an object's own keys end what the model can say of a path.
      if key.hasPrefix("@") || ["self", "SELF", "objectID", "entity"].contains(key) { return }
      guard let property = current.propertiesByName[key] else {
        throw CoreDataError.make(
          NSCoreDataError, "keypath \(path) not found in entity \(layout.name)")
      }
      guard property.isRelationship, let destination = property.destination else { return }
      current = destination
    }
  }
}
