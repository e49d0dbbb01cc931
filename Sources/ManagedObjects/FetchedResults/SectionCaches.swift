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
    private let objects: [NamedObjects]

    init(_ request: AnyFetchRequest, sectionNameKeyPath: String?) {
      let order = (request.sortDescriptors ?? []).map { "\($0.key ?? "") \($0.ascending)" }
      var objects: [NamedObjects] = []
      let predicate = request.predicate?.tree.mapLeaves { leaf in
        guard case .constant(let value) = leaf else { return leaf }
        return .constant(NamedObjects.taken(from: value, to: &objects))
      }
      text = [
        request.entityName ?? "", predicate?.canonicalFormat ?? "",
        order.joined(separator: ","), sectionNameKeyPath ?? "",
        "\(request.fetchLimit) \(request.fetchOffset) \(request.includesSubentities)",
      ].joined(separator: "\n")
      self.objects = objects
    }
  }

  /// An object that a predicate names, or those of a set, which have no order.
  private struct NamedObjects: Equatable, Sendable {
    let ids: [NSManagedObjectID]

    /// Whether both are the same rows, also if these have been saved since.
    static func == (left: NamedObjects, right: NamedObjects) -> Bool {
      Set(left.ids.map(\.permanentID)) == Set(right.ids.map(\.permanentID))
    }

    /// A value with numbers in place of its objects, which are added to a list.
    static func taken(
      from value: PredicateValue, to list: inout [NamedObjects]
    ) -> PredicateValue {
      switch value {
      case .object:
        guard let id = id(of: value) else { return value }
        return number([id], in: &list)
      case .array(let members): return .array(members.map { taken(from: $0, to: &list) })
      case .orderedSet(let members): return .array(members.map { taken(from: $0, to: &list) })
      case .set(let members):
        let ids = members.compactMap(id)
        guard !ids.isEmpty else { return value }
        return .set(members.filter { id(of: $0) == nil } + [number(ids, in: &list)])
      default: return value
      }
    }

    private static func number(
      _ ids: [NSManagedObjectID], in list: inout [NamedObjects]
    ) -> PredicateValue {
      list.append(NamedObjects(ids: ids))
      return .string("object \(list.count)")
    }

    private static func id(of value: PredicateValue) -> NSManagedObjectID? {
      guard case .object(let object) = value else { return nil }
      return (object.base as? NSManagedObject)?.objectID ?? object.base as? NSManagedObjectID
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
