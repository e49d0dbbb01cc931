import Foundation
import PredicateFormat

/// The order that sort descriptors give objects, or what else they can compare, in memory.
struct ObjectOrder {
  private let descriptors: [NSSortDescriptor]

  init(_ descriptors: [NSSortDescriptor]) { self.descriptors = descriptors }

  /// The objects in order; those that are equal to the descriptors stay as they were.
  func sorted<Element>(_ objects: [Element]) -> [Element] {
    guard !descriptors.isEmpty else { return objects }
    // Swift's sort is stable in practice, not by promise; the position makes it so.
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
