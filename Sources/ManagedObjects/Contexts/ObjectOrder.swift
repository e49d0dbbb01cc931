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
      for descriptor in descriptors {
        switch descriptor.compare(left.element, to: right.element) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return left.offset < right.offset
    }.map(\.element)
  }
}
