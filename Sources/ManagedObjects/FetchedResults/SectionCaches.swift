import DataModels
import Foundation
import PredicateFormat
import Synchronization

/// The registry of section caches: what each name is used for.
///
/// Computing sections is fast enough without a cache, so nothing is cached. The registry only prevents two
/// controllers from using one name for different requests, which makes Core Data trap.
final class SectionCaches: Sendable {
  static let shared = SectionCaches()

  /// The parameters that determine the sections.
  struct Use: Equatable, Sendable {
    private let text: String
    /// The objects that the predicate names: their descriptions tell of their values, which may change.
    private let objects: [NSManagedObjectID]

    init(_ request: AnyFetchRequest, sectionNameKeyPath: String?) {
      let order = (request.sortDescriptors ?? []).map { "\($0.key ?? "") \($0.ascending)" }
      var objects: [NSManagedObjectID] = []
      let predicate = request.predicate?.tree.mapLeaves { leaf in
        guard case .constant(let value) = leaf else { return leaf }
        return .constant(Self.moved(value, to: &objects))
      }
      text = [
        request.entityName ?? "", predicate?.canonicalFormat ?? "",
        order.joined(separator: ","), sectionNameKeyPath ?? "",
        "\(request.fetchLimit) \(request.fetchOffset) \(request.includesSubentities)",
      ].joined(separator: "\n")
      self.objects = objects
    }

    /// A value with numbers in place of its objects, which are added to a list.
    private static func moved(
      _ value: PredicateValue, to objects: inout [NSManagedObjectID]
    ) -> PredicateValue {
      switch value {
      case .object(let object):
        let known = (object.base as? NSManagedObject)?.objectID
        guard let id = known ?? object.base as? NSManagedObjectID else { return value }
        objects.append(id)
        return .string("object \(objects.count)")
      case .array(let members): return .array(members.map { moved($0, to: &objects) })
      case .set(let members): return .set(members.map { moved($0, to: &objects) })
      default: return value
      }
    }

    /// Whether the uses are the same, also if an object has been saved since.
    static func == (left: Use, right: Use) -> Bool {
      left.text == right.text
        && left.objects.map(\.permanentID) == right.objects.map(\.permanentID)
    }
  }

  private let uses = Mutex<[String: Use]>([:])

  /// Registers the use of a cache.
  ///
  /// - Throws: ``NSCoreDataError`` if the name is used for something else.
  func check(_ name: String, _ use: Use) throws {
    let isFree = uses.withLock { uses in
      guard let known = uses[name] else {
        uses[name] = use
        return true
      }
      return known == use
    }
    guard !isFree else { return }
    throw CoreDataError.make(
      NSCoreDataError,
      "The persistent cache of section information '\(name)' does not match the current "
        + "configuration: the fetch request, its predicate or its sort descriptors changed. "
        + "Disable caching, or delete the cache with deleteCache(withName:).")
  }

  func delete(_ name: String?) {
    uses.withLock { uses in
      if let name { uses[name] = nil } else { uses.removeAll() }
    }
  }
}
