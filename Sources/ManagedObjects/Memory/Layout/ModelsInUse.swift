import DataModels
import Synchronization

/// The models that coordinators were created with, in order, as long as they exist.
final class ModelsInUse: Sendable {
  static let shared = ModelsInUse()

  // Sendable: used within the mutex; layouts are so themselves.
  private struct Reference: @unchecked Sendable { weak var layout: ModelLayout? }
  private let references = Mutex<[Reference]>([])

  func add(_ layout: ModelLayout) {
    references.withLock { references in
      references.removeAll { $0.layout == nil }
      references.append(Reference(layout: layout))
    }
  }

  /// The entity that a class represents: of the first model that has exactly one. If there is none, a description
  /// that has no name and belongs to no model, as in Core Data.
  func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    ObjectClassRegistry.shared.register(type)
    let layouts = references.withLock { $0.compactMap(\.layout) }
    for layout in layouts {
      if let found = layout.entity(of: type) { return found.entity }
    }
    return NSEntityDescription()
  }
}
