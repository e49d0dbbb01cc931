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

    init(_ request: AnyFetchRequest, sectionNameKeyPath: String?) {
      let order = (request.sortDescriptors ?? []).map { "\($0.key ?? "") \($0.ascending)" }
      text = [
        request.entityName ?? "", request.predicate?.canonicalFormat ?? "",
        order.joined(separator: ","), sectionNameKeyPath ?? "",
        "\(request.fetchLimit) \(request.fetchOffset) \(request.includesSubentities)",
      ].joined(separator: "\n")
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
