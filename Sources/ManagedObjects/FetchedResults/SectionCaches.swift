import DataModels
import Foundation
import PredicateFormat
import Synchronization

/// The caches of sections by name: what each was made for.
///
/// Sections are found quickly enough without one, so a cache holds nothing of them; it keeps two
/// controllers from using one name for different requests, which Core Data ends the program for.
final class SectionCaches: Sendable {
  static let shared = SectionCaches()

  /// What decides which sections there are.
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

  /// Notes what a cache is for.
  ///
  /// - Throws: ``NSCoreDataError`` when it is for something else already.
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
