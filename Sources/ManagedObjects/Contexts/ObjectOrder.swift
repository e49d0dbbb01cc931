import Foundation
import PredicateFormat

/// An in-memory sort order for objects, and for anything else that sort descriptors can compare.
struct ObjectOrder {
  private let descriptors: [NSSortDescriptor]

  init(_ descriptors: [NSSortDescriptor]) { self.descriptors = descriptors }

  /// The objects in order; the sort is stable.
  func sorted<Element>(_ objects: [Element]) -> [Element] {
    guard !descriptors.isEmpty else { return objects }
    // Swift's sort is stable in practice but not by contract; comparing positions makes it so.
    return objects.enumerated().sorted { left, right in
      switch compare(left.element, right.element) {
      case .orderedAscending: true
      case .orderedDescending: false
      case .orderedSame: left.offset < right.offset
      }
    }.map(\.element)
  }

  /// Compares two objects.
  func compare(_ left: Any, _ right: Any) -> ComparisonResult {
    for descriptor in descriptors {
      let result = descriptor.compare(left, to: right)
      if result != .orderedSame { return result }
    }
    return .orderedSame
  }

  /// Whether the order depends only on an object's own stored attributes. Those that the store derives may depend on others.
  func isOwn(to layout: EntityLayout) -> Bool {
    descriptors.allSatisfy { descriptor in
      guard let property = descriptor.key.flatMap({ layout.property($0) }) else { return false }
      return !property.isRelationship && property.kind != .fetched && !property.isTransient
        && !property.isDerived
    }
  }
}
